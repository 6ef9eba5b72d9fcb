-- "offset 0" keeps the planner from moving other conditions into a subquery: fresh tables have no statistics, and without
-- them it would rather walk through a whole scope than look up twenty ids.

-- name: by_ids
select m.*
from unnest($1::uuid[]) with ordinality as wanted (id, place)
cross join lateral (select * from memories where id = wanted.id offset 0) m
where m.status = 'active' and m.scope_key = any($2::text[])
order by wanted.place;

-- name: newest
-- One short walk along the index for each scope, then a merge: never a sort of everything in a scope.
select m.*
from unnest($1::text[]) as visible (scope_key)
cross join lateral (
    select * from memories
    where scope_key = visible.scope_key and status = 'active'
    order by created_at desc, id
    limit $2::bigint + $3::bigint
) m
order by m.created_at desc, m.id
limit $2 offset $3;

-- name: by_turns
select m.*
from memories m
where m.subject = $2 and m.scope_key = $3 and m.status = 'active' and m.kind not in ('event', 'answer')
  and not exists (select from jsonb_array_elements(m.sources) s where not (s ->> 'turn_id') = any($1::text[]))
order by m.created_at, m.id;

-- name: count_visible
select count(*) from memories where scope_key = any($1::text[]) and status = 'active';

-- name: newest_about
select * from (select * from memories where subject = $4 and scope_key = any($1::text[]) offset 0) m
where status = 'active'
order by created_at desc, id
limit $2 offset $3;

-- name: same_text
select * from (select * from memories where scope_key = $1 and digest = $2 offset 0) m
where status = 'active' and subject is not distinct from $3
order by created_at, id
limit 1;

-- name: erased
-- The shared lock makes a wipe, which takes it exclusively, wait until the changes that were checked here are stored,
-- and the changes wait for the wipe's tombstones.
select id from tombstones where id = any($1::uuid[]);

-- name: lock_erasure
select pg_advisory_xact_lock_shared($1);

-- name: lock
select id from memories where id = any($1::uuid[]) order by id for no key update;

-- name: add
with added as (
    insert into memories
    select m.* from jsonb_populate_recordset(null::memories, $1) m order by m.id
    on conflict (id) do nothing
    returning id, status
)
insert into index_outbox (memory_id, delete)
select id, false from added where status = 'active';

-- name: refresh
-- Appends the sources that are not there yet, up to 20 in all: what hundreds repeat rests on enough of them. What the
-- index holds does not change.
update memories m
set last_seen_at = greatest(m.last_seen_at, r.at),
    sources = m.sources || fresh.sources,
    speakers = array(
        select speaker from unnest(m.speakers) as speaker
        union
        select s ->> 'member_id' from jsonb_array_elements(fresh.sources) as s where s ->> 'member_id' is not null
        order by speaker)
from jsonb_to_recordset($1) as r (id uuid, at timestamptz, sources jsonb)
join memories known on known.id = r.id
cross join lateral (
    select coalesce(jsonb_agg(s order by place), '[]') as sources
    from (
        select s, place
        from jsonb_array_elements(r.sources) with ordinality as listed (s, place)
        where not known.sources @> jsonb_build_array(s)
        order by place
        limit greatest(0, 20 - jsonb_array_length(known.sources))
    ) as missing
) as fresh
where m.id = r.id;

-- name: update
with updated as (
    update memories m
    set text = u.text, digest = u.digest, language = u.language
    from jsonb_to_recordset($1) as u (id uuid, text text, digest uuid, language text)
    where m.id = u.id and m.status = 'active' and m.text <> u.text
    returning m.id
)
insert into index_outbox (memory_id, delete)
select id, false from updated;

-- name: supersede
with superseded as (
    update memories m
    set status = 'superseded', status_since = s.at, valid_to = s.at, superseded_by = s.new_id
    from jsonb_to_recordset($1) as s (old_id uuid, new_id uuid, at timestamptz)
    where m.id = s.old_id and m.status = 'active' and s.new_id <> s.old_id
      and exists (select from memories successor where successor.id = s.new_id)
    returning m.id
)
insert into index_outbox (memory_id, delete)
select id, true from superseded;

-- name: set_status
with changed as (
    update memories
    set status = $2, status_since = $3
    where id = any($1::uuid[]) and status <> $2
    returning id
), queued as (
    insert into index_outbox (memory_id, delete)
    select id, $2 <> 'active' from changed
)
select id from changed;

-- name: add_facts
insert into profile_facts
select f.* from jsonb_populate_recordset(null::profile_facts, $1) f order by f.id
on conflict (id) do nothing;

-- name: retire_facts
update profile_facts f
set valid_to = r.at
from unnest($1::uuid[], $2::timestamptz[]) as r (id, at)
where f.id = r.id and f.valid_to is null;

-- name: settle
delete from extraction_jobs where turn_id = any($1::uuid[]);

-- name: counts
select status as name, count(*) as rows from memories group by status
union all select 'turns', count(*) from turns
union all select 'outbox', count(*) from index_outbox
union all select 'jobs', count(*) from extraction_jobs
union all select 'facts', count(*) from profile_facts;
