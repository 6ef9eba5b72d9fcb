-- name: facts
select * from profile_facts
where member_id = $1 and scope_key = any($2::text[]) and valid_to is null
order by stated_at, id;

-- name: activity
select * from members where community = $1 and member_id = $2;

-- name: unextracted
select t.id, t.conversation_id, t.seq, t.scope_key, t.speaker_id, t.speaker_name, t.text, t.at, t.degraded
from extraction_jobs j
join turns t on t.id = j.turn_id
where j.speaker_id = $1 and t.scope_key = any($2::text[])
order by j.queued_at desc, j.seq desc
limit $3;

-- name: choose
-- A choice that is null stays as it was.
insert into members as m (community, member_id, name, interaction_count, first_seen, last_seen, opted_out, language)
values ($1, $2, $3, 0, $4, $4, coalesce($5::boolean, false), $6::text)
on conflict (community, member_id) do update set
    opted_out = coalesce($5, m.opted_out),
    language = coalesce($6, m.language);
