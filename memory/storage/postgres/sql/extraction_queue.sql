-- name: pending
select t.id, t.conversation_id, t.seq, t.scope_key, t.speaker_id, t.speaker_name, t.text, t.at, t.degraded,
       j.channel_name, j.speaker_role, j.urgent, j.attempts, j.queued_at, reply.text as reply_text
from extraction_jobs j
join turns t on t.id = j.turn_id
left join turns reply on reply.id = j.reply_turn_id
where not j.parked
order by j.queued_at, j.conversation_id, j.seq
limit $1;

-- name: pending_of
select t.id, t.conversation_id, t.seq, t.scope_key, t.speaker_id, t.speaker_name, t.text, t.at, t.degraded,
       j.channel_name, j.speaker_role, j.urgent, j.attempts, j.queued_at, reply.text as reply_text
from extraction_jobs j
join turns t on t.id = j.turn_id
left join turns reply on reply.id = j.reply_turn_id
where j.conversation_id = $2 and not j.parked
order by j.queued_at, j.seq
limit $1;

-- name: failed
update extraction_jobs
set attempts = attempts + 1, reason = $2, parked = parked or $3
where turn_id = any($1::uuid[]);

-- name: settle
delete from extraction_jobs where turn_id = any($1::uuid[]);
