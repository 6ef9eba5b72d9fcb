-- Working memory ------------------------------------------------------------------------------------------------------

create table conversations (
    id                text primary key,
    community         text not null,
    scope_key         text not null,
    last_seq          integer not null,
    session_start_seq integer not null default 0,
    summarised_seq    integer not null default 0,
    summary           text not null default '',
    pins              jsonb not null default '[]',
    version           integer not null default 0,
    last_at           timestamptz not null
);

create table turns (
    id              uuid primary key,
    conversation_id text not null references conversations (id) on delete cascade,
    seq             integer not null,
    community       text not null,
    scope_key       text not null,
    speaker_id      text,           -- null: the bot
    speaker_name    text not null,
    text            text not null,
    at              timestamptz not null,
    degraded        boolean not null default false,
    unique (conversation_id, seq)
);
create index turns_by_speaker on turns (speaker_id, at) where speaker_id is not null;
create index turns_by_age on turns (at);

-- Platform events that were taken in. Ids only: a wipe leaves them, so that a replay after it brings nothing back.
create table inbox (
    event_id text primary key,
    at       timestamptz not null
);
create index inbox_by_age on inbox (at);

create table extraction_jobs (
    turn_id         uuid primary key references turns (id) on delete cascade,
    conversation_id text not null,
    seq             integer not null,
    speaker_id      text,
    reply_turn_id   uuid references turns (id) on delete set null,
    channel_name    text not null,
    speaker_role    text not null,
    urgent          boolean not null,
    attempts        integer not null default 0,
    parked          boolean not null default false,
    reason          text,
    queued_at       timestamptz not null
);
create index extraction_jobs_waiting on extraction_jobs (queued_at, conversation_id, seq) where not parked;
create index extraction_jobs_by_conversation on extraction_jobs (conversation_id, queued_at, seq) where not parked;
create index extraction_jobs_by_speaker on extraction_jobs (speaker_id, queued_at desc, seq desc);
create index extraction_jobs_by_reply on extraction_jobs (reply_turn_id);

-- Long-term memory ----------------------------------------------------------------------------------------------------

create table memories (
    id             uuid primary key,
    community      text not null,
    scope_key      text not null,
    kind           text not null,
    status         text not null,
    status_since   timestamptz not null,
    language       text not null,
    text           text not null,
    digest         uuid not null,   -- of the normalised text
    gist           text not null,
    subject        text,
    hearsay        boolean not null,
    importance     double precision not null,
    trust          double precision not null,
    pinned         boolean not null,
    created_at     timestamptz not null,
    last_seen_at   timestamptz not null,
    valid_from     timestamptz not null,
    valid_to       timestamptz,
    superseded_by  uuid,
    access_count   integer not null,
    last_access_at timestamptz,
    sources        jsonb not null,  -- [{turn_id, member_id, name, at, channel}]
    before         text not null,
    after          text not null,
    near_speakers  text[] not null, -- whose words `before` and `after` hold
    speakers       text[] not null  -- every member in `sources` and `near_speakers`
)
-- Room on each page for the new access count, which no index holds: counting then touches no index.
with (fillfactor = 85);
create index memories_by_digest on memories (scope_key, digest);
create index memories_newest on memories (scope_key, created_at desc, id) where status = 'active';
create index memories_by_status on memories (community, status, created_at);
create index memories_by_subject on memories (subject, scope_key, created_at desc) where subject is not null;
create index memories_by_successor on memories (superseded_by) where superseded_by is not null;
create index memories_by_speaker on memories using gin (speakers);

-- What was erased on purpose: ids of memories, facts and turns. Nothing that carries or rests on one is stored again.
create table tombstones (
    id uuid primary key,
    at timestamptz not null
);

create table index_outbox (
    seq       bigint generated always as identity primary key,
    memory_id uuid not null,
    delete    boolean not null
);

create table index_embedder (
    only_row   boolean primary key default true check (only_row),
    provider   text not null,
    model      text not null,
    dimensions integer not null
);

-- Episodic memory -----------------------------------------------------------------------------------------------------

create table members (
    community         text not null,
    member_id         text not null,
    name              text not null,
    interaction_count integer not null,
    first_seen        timestamptz not null,
    last_seen         timestamptz not null,
    opted_out         boolean not null default false,
    language          text,                       -- chosen by the member
    written_zh        integer not null default 0, -- messages in each language
    written_en        integer not null default 0,
    primary key (community, member_id)
);

create table profile_facts (
    id        uuid primary key,
    member_id text not null,
    community text not null,
    scope_key text not null,
    field     text not null,
    key       text not null,
    value     text not null,
    stated_at timestamptz not null,
    valid_to  timestamptz,
    corrected boolean not null,
    sources   jsonb not null
);
create index profile_facts_by_member on profile_facts (member_id, scope_key, stated_at);

-- Model calls ---------------------------------------------------------------------------------------------------------

create table model_calls (
    id                bigint generated always as identity primary key,
    at                timestamptz not null,
    purpose           text not null,
    model             text not null,
    prompt_version    text not null,
    prompt_tokens     integer not null,
    cached_tokens     integer not null,
    completion_tokens integer not null,
    cost_usd          double precision not null,
    latency_ms        double precision not null,
    ok                boolean not null,
    conversation_id   text,
    member_id         text,
    community         text
);
create index model_calls_by_time on model_calls (at);
create index model_calls_by_community on model_calls (community, at);
