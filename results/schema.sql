-- The store's tables, version 1: frozen, a change is a step in schema.c. The
-- tables of records (sample_load, sample_link, sample_tcp, sample_cpu,
-- sample_disk, sample_proc, sample_target, task, driver, fact) are made from
-- the field lists of common/record.h, see rows.c. Rows that hold measured data
-- end with crc, see rowsum.h. Statements end at the end of a line.

create table experiment (
  id integer primary key,
  uuid text not null unique,
  name text not null,
  track text not null,
  challenge text not null,
  target text not null,
  json text not null,          -- the experiment file that would repeat it
  version text not null,       -- of pitwall
  seed text not null,          -- decimal; SQLite has no unsigned 64 bits
  order_kind text not null,
  warmup_ns integer not null,
  measure_ns integer not null,
  iterations integer not null,
  state text not null default 'running', -- finished, interrupted, failed
  started text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  ended text
);

create index experiment_name on experiment (name);

create table tag (
  experiment integer not null references experiment,
  name text not null,
  value text not null,
  primary key (experiment, name)
) without rowid;

create table factor (
  id integer primary key,
  experiment integer not null references experiment,
  position integer not null,
  name text not null,
  kind text not null,
  unique (experiment, name)
);

create table level (
  id integer primary key,
  factor integer not null references factor,
  position integer not null,
  label text not null,
  value text not null,
  unique (factor, label)
);

create table cell (
  id integer primary key,
  experiment integer not null references experiment,
  position integer not null,
  label text not null,
  canary integer not null,     -- 1: repeats canary_of, hidden from v_trial,
                               -- 2: likewise, extra (v_extra)
  canary_of integer references cell,
  unique (experiment, position)
);

create table cell_level (
  cell integer not null references cell,
  factor integer not null references factor,
  level integer not null references level,
  primary key (cell, factor)
) without rowid;

create table bench (
  id integer primary key,
  name text not null unique
);

create table block (
  id integer primary key,
  experiment integer not null references experiment,
  iteration integer not null,
  bench integer not null references bench,
  superseded integer not null default 0
);

create index block_experiment on block (experiment);

create table trial (
  id integer primary key,
  experiment integer not null references experiment,
  tid integer not null,        -- 1.. in running order
  cell integer not null references cell,
  iteration integer not null,
  block integer not null references block,
  position integer not null,   -- 1.. in the block
  attempt integer references attempt, -- the chosen one
  unique (experiment, tid)
);

create index trial_block on trial (block);

create table attempt (
  id integer primary key,
  trial integer not null references trial,
  n integer not null,          -- 1..
  state text not null default 'planned',
  outcome text not null default '',
  partial integer not null default 0, -- 1: its figures end before the window
  bound text not null default 'unclear',
  error text,
  spool_bytes integer,
  records_unknown integer,     -- of kinds that the reader did not know
  records_damaged integer,     -- that could not be decoded or stored
  crc integer,                 -- once stored
  unique (trial, n)
);

create table attempt_move (
  attempt integer not null references attempt,
  n integer not null,
  state text not null,
  at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  primary key (attempt, n)
) without rowid;

create table invalid (
  attempt integer not null references attempt,
  rule text not null,
  evidence text not null,
  primary key (attempt, rule)
) without rowid;

create table metric (
  attempt integer not null references attempt,
  name text not null,          -- `pitwall metrics` defines it
  task text not null,          -- '' for the whole trial
  source text not null,
  value real not null,
  crc integer not null,
  primary key (attempt, name, task)
) without rowid;

create table histogram (
  attempt integer not null references attempt,
  kind text not null,          -- latency, service, read_bytes, ...
  task text not null,          -- '' for the target's
  second integer,              -- null: the whole window
  blob blob not null,          -- common/hist.h, hist_encode
  crc integer not null
);

create unique index histogram_key
  on histogram (attempt, kind, task, coalesce(second, -1000000));

create table artifact (
  attempt integer not null references attempt,
  name text not null,
  bytes integer not null,
  crc32c integer not null,     -- of content
  content blob not null,
  unique (attempt, name)
);

create table host_fact (
  experiment integer not null references experiment,
  agent text not null,
  name text not null,
  value text not null,
  primary key (experiment, agent, name)
) without rowid;

create table note (
  id integer primary key,
  experiment integer not null references experiment,
  trial integer references trial,
  at text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  text text not null
);
