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

-- name: embedder
select provider, model, dimensions from index_embedder;

-- name: set_embedder
insert into index_embedder (provider, model, dimensions)
values ($1, $2, $3)
on conflict (only_row) do update set
    provider = excluded.provider, model = excluded.model, dimensions = excluded.dimensions;
