-- name: load
select last_seq, session_start_seq, summarised_seq, summary, pins, version, last_at
from conversations
where id = $1;

-- name: window
-- The newest turns of the session that no summary holds. Bounded by the sequence number that was read with the
-- conversation, so both statements see the same state.
select id, conversation_id, seq, scope_key, speaker_id, speaker_name, text, at, degraded
from turns
where conversation_id = $1 and seq > $2 and seq <= $3
order by seq desc
limit $4;

-- name: turns
select id, conversation_id, seq, scope_key, speaker_id, speaker_name, text, at, degraded
from turns
where conversation_id = $1 and seq > $2
order by seq
limit $3;

-- name: turn_before
select t.id, t.conversation_id, t.seq, t.scope_key, t.speaker_id, t.speaker_name, t.text, t.at, t.degraded
from turns t join conversations c on c.id = t.conversation_id
where t.conversation_id = $1 and t.seq < $2 and t.seq > c.session_start_seq and t.speaker_id is not null
order by t.seq desc
limit 1;

-- name: open_exchange
-- Claims the event id and the next sequence numbers, and begins a new session when the last one is idle for too long.
-- Returns nothing when the event id is known. The conversation's row stays locked until the transaction ends.
with claimed as (
    insert into inbox (event_id, at)
    select $4::text, $5::timestamptz
    where $4::text is not null
    on conflict (event_id) do nothing
    returning event_id
)
insert into conversations as c (id, community, scope_key, last_seq, last_at)
select $1, $2, $3, $7::integer, $6::timestamptz
where $4::text is null or exists (select from claimed)
on conflict (id) do update set
    session_start_seq = case when $5 - c.last_at > $8::interval then c.last_seq else c.session_start_seq end,
    summarised_seq    = case when $5 - c.last_at > $8::interval then c.last_seq else c.summarised_seq end,
    summary           = case when $5 - c.last_at > $8::interval then '' else c.summary end,
    pins              = case when $5 - c.last_at > $8::interval then '[]' else c.pins end,
    version           = case when $5 - c.last_at > $8::interval then c.version + 1 else c.version end,
    scope_key         = excluded.scope_key,
    last_seq          = c.last_seq + excluded.last_seq,
    last_at           = greatest(c.last_at, excluded.last_at)
returning last_seq;

-- name: write_exchange
-- $1 conversation, $2 community, $3 scope; one turn a place: $4 ids, $5 seqs, $6 speaker ids, $7 names, $8 texts,
-- $9 times, $10 degraded; $11 recalled ids; $12 member, $13 name, $14 time of the message; $15 whether to extract,
-- $16 channel, $17 role, $18 urgent, $19 the turn that holds a real answer, $20 the language of the message.
-- Rows are locked in the order of their ids, so that two replies cannot wait for each other.
with recalled as (
    select id from memories where id = any($11::uuid[]) order by id for no key update
), accessed as (
    update memories m
    set access_count = m.access_count + 1, last_access_at = greatest(m.last_access_at, $14)
    from recalled
    where m.id = recalled.id
), said as (
    insert into turns (id, conversation_id, seq, community, scope_key, speaker_id, speaker_name, text, at, degraded)
    select t.id, $1, t.seq, $2, $3, t.speaker_id, t.name, t.text, t.at, t.degraded
    from unnest($4::uuid[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::boolean[])
        as t (id, seq, speaker_id, name, text, at, degraded)
), queued as (
    insert into extraction_jobs
        (turn_id, conversation_id, seq, speaker_id, reply_turn_id, channel_name, speaker_role, urgent, queued_at)
    select ($4::uuid[])[1], $1, ($5::integer[])[1], $12, $19::uuid, $16, $17, $18, $14
    where $15::boolean
)
insert into members as m
    (community, member_id, name, interaction_count, first_seen, last_seen, written_zh, written_en)
select $2, $12::text, $13, 1, $14::timestamptz, $14, ($20::text = 'zh')::integer, ($20 = 'en')::integer
where $12::text is not null
on conflict (community, member_id) do update set
    name = excluded.name,
    interaction_count = m.interaction_count + 1,
    first_seen = least(m.first_seen, excluded.first_seen),
    last_seen = greatest(m.last_seen, excluded.last_seen),
    written_zh = m.written_zh + excluded.written_zh,
    written_en = m.written_en + excluded.written_en;

-- name: compress
update conversations
set summarised_seq = $3, summary = $4, pins = $5, version = version + 1
where id = $1 and version = $2
returning version;

-- name: end_session
update conversations
set session_start_seq = last_seq, summarised_seq = last_seq, summary = '', pins = '[]', version = version + 1
where id = $1;

-- name: seen
select exists (select from inbox where event_id = $1);
