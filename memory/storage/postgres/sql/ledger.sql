-- name: record
insert into model_calls
    (at, purpose, model, prompt_version, prompt_tokens, cached_tokens, completion_tokens, cost_usd, latency_ms, ok,
     conversation_id, member_id, community)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
