-- name: memories
-- One walk along the primary key, a page at a time.
select * from memories where $1::uuid is null or id > $1 order by id limit $2;

-- name: facts
select * from profile_facts where $1::uuid is null or id > $1 order by id limit $2;

-- name: present
select id from memories where id = any($1::uuid[])
union all select id from profile_facts where id = any($1::uuid[]);

-- name: opted_out
select community, member_id from members where opted_out and member_id = any($1::text[]);

-- name: date_status
update memories m
set status_since = s.at
from unnest($1::uuid[], $2::timestamptz[]) as s (id, at)
where m.id = s.id and m.status_since <> s.at;

-- name: turns
-- By age, which has an index; the bot's own are left out.
select id, conversation_id, seq, scope_key, speaker_id, speaker_name, text, at, degraded
from turns
where community = $1 and speaker_id is not null
order by at desc
limit $2;
