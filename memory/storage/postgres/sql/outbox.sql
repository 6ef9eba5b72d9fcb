-- name: take
select o.seq, o.memory_id, o.delete, m.*
from (select * from index_outbox order by seq limit $1) o
left join memories m on m.id = o.memory_id and m.status = 'active'
order by o.seq;

-- name: done
delete from index_outbox where seq = any($1::bigint[]);

-- name: enqueue_all
with queued as (
    insert into index_outbox (memory_id, delete)
    select id, false from memories where status = 'active' order by created_at, id
    returning 1
)
select count(*) from queued;

-- name: reconcile
-- $1: the ids that the index holds. What waits in the outbox already is not queued again.
with indexed as (
    select unnest($1::uuid[]) as id
), differing as (
    select coalesce(m.id, i.id) as id, m.id is null as excess
    from (select id from memories where status = 'active') m
    full join indexed i on i.id = m.id
    where m.id is null or i.id is null
), queued as (
    insert into index_outbox (memory_id, delete)
    select d.id, d.excess from differing d
    where not exists (select from index_outbox o where o.memory_id = d.id)
    order by d.id
    returning 1
)
select count(*) from queued;

-- name: embedder
select provider, model, dimensions from index_embedder;

-- name: set_embedder
insert into index_embedder (provider, model, dimensions)
values ($1, $2, $3)
on conflict (only_row) do update set
    provider = excluded.provider, model = excluded.model, dimensions = excluded.dimensions;
