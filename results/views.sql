-- What people query. Views hold no data: opening a store for writing replaces
-- those whose text differs from this one. Where v_trial has a dollar mark, one
-- column per metric of results/metric.c is put (dots in its name become _).

-- The levels of a cell, one row per factor.
create view v_level as
select cl.cell, f.name as factor, f.position, l.label, l.value
  from cell_level cl
  join factor f on f.id = cl.factor
  join level l on l.id = cl.level;

-- Every attempt at every trial, canaries and superseded blocks included; a
-- trial not yet tried has one row without attempt.
create view v_trial_all as
select t.experiment, e.name, t.id as trial, t.tid, c.label as cell,
       t.iteration, t.block, t.position, b.superseded,
       c.purpose = 'canary' as canary, c.purpose,
       bn.name as bench, a.id as attempt, a.n, a.id is t.attempt as chosen,
       a.state, a.outcome, a.partial, a.bound, a.bound_shared,
       a.bound_evidence, a.error,
       a.restored, a.restored_evidence,
       (select count(*) from invalid i where i.attempt = a.id) as invalid
  from trial t
  join experiment e on e.id = t.experiment
  join cell c on c.id = t.cell
  join block b on b.id = t.block
  join bench bn on bn.id = b.bench
  left join attempt a on a.trial = t.id;

-- The chosen attempts, one row per trial: no canary, no superseded block.
-- Levels by factor (null where it is none), then the whole trial's figures in
-- the units that `pitwall metrics` prints (null where there is none).
-- partial = 1: the target ended within the window. bound_shared = 1: bound
-- speaks of the driver or the target, and both ran on one machine.
create view v_trial as
select t.experiment, e.name, t.id as trial, t.tid, c.label as cell,
       t.cell as cell_id, t.iteration, t.block, t.position,
       bn.name as bench, a.id as attempt, a.n, a.outcome, a.partial,
       a.bound, a.bound_shared, a.bound_evidence, a.error, a.restored,
       (select count(*) from invalid i where i.attempt = a.id) as invalid,
       coalesce((select l.label from v_level l where l.cell = t.cell
         and l.factor = 'track'), e.track) as track,
       coalesce((select l.label from v_level l where l.cell = t.cell
         and l.factor = 'challenge'), e.challenge) as challenge,
       coalesce((select l.label from v_level l where l.cell = t.cell
         and l.factor = 'target'), e.target) as target,
       (select l.label from v_level l where l.cell = t.cell
         and l.factor = 'heap') as heap,
       (select l.label from v_level l where l.cell = t.cell
         and l.factor = 'predictor') as predictor,
       (select l.label from v_level l where l.cell = t.cell
         and l.factor = 'rmem') as rmem,
       (select l.label from v_level l where l.cell = t.cell
         and l.factor = 'link') as link,
       (select l.label from v_level l where l.cell = t.cell
         and l.factor = 'pin') as pin,
       (select l.label from v_level l where l.cell = t.cell
         and l.factor = 'congestion') as congestion,
       $METRICS
  from trial t
  join attempt a on a.id = t.attempt
  join experiment e on e.id = t.experiment
  join cell c on c.id = t.cell and c.purpose = 'measure'
  join block b on b.id = t.block and not b.superseded
  join bench bn on bn.id = b.bench;

-- Extra trials, which repeat cells under telemetry that costs time: what that
-- telemetry found. Their speed is in no view.
create view v_extra as
select t.experiment, e.name, t.id as trial, t.tid, c.label as cell,
       c.canary_of as cell_id, t.iteration, a.id as attempt, a.outcome,
       (select m.value from metric m where m.attempt = a.id
         and m.name = 'kernel_reads') as kernel_reads,
       (select m.value from metric m where m.attempt = a.id
         and m.name = 'kernel_bytes_per_read') as kernel_bytes_per_read,
       (select m.value from metric m where m.attempt = a.id
         and m.name = 'header_parse_share') as header_parse_share
  from trial t
  join attempt a on a.id = t.attempt
  join experiment e on e.id = t.experiment
  join cell c on c.id = t.cell and c.purpose = 'profile'
  join block b on b.id = t.block and not b.superseded;

-- One row per cell: how its trials ended, and the geometric mean of throughput
-- over those that are valid and complete.
create view v_cell as
select t.experiment, t.cell as cell_id, c.label as cell,
       c.purpose = 'canary' as canary, count(*) as trials,
       sum(a.outcome is 'ok') as ok,
       sum(a.outcome is 'oom') as oom,
       sum(a.id is null and 'failed' is
           (select x.outcome from attempt x where x.trial = t.id
             order by x.n desc limit 1)) as failed,
       sum(exists (select 1 from invalid i where i.attempt = a.id))
         as invalid,
       exp(avg(ln(m.value))) as throughput
  from trial t
  join cell c on c.id = t.cell
  join block b on b.id = t.block and not b.superseded
  left join attempt a on a.id = t.attempt
  left join metric m
    on m.attempt = a.id and m.name = 'throughput' and m.task = ''
   and a.outcome = 'ok' and not a.partial
   and not exists (select 1 from invalid i where i.attempt = a.id)
 where c.purpose <> 'profile'
 group by t.cell;

-- One row per second of each chosen attempt; negative seconds are warm-up.
create view v_sample as
select t.experiment, t.id as trial, t.tid, c.label as cell,
       s.attempt, s.second,
       sum(s.ops) as ops, sum(s.docs) as docs, sum(s.bytes) as bytes,
       sum(s.errors) as errors, sum(s.docs_failed) as docs_failed,
       (select sum(x.rx_bytes) from sample_link x where x.attempt = s.attempt
         and x.second = s.second and x.side = 'target') as link_rx_bytes,
       (select sum(x.tx_bytes) from sample_link x where x.attempt = s.attempt
         and x.second = s.second and x.side = 'target') as link_tx_bytes,
       (select max(x.segs_retrans) from sample_tcp x
         where x.attempt = s.attempt and x.second = s.second)
         as segs_retrans,
       (select max(x.rcvq_pruned) from sample_tcp x
         where x.attempt = s.attempt and x.second = s.second)
         as rcvq_pruned,
       g.reads as target_reads, g.read_bytes as target_read_bytes,
       g.docs as target_docs, g.heap_used
  from sample_load s
  join attempt a on a.id = s.attempt
  join trial t on t.attempt = a.id
  join cell c on c.id = t.cell
  left join sample_target g
    on g.attempt = s.attempt and g.second = s.second
 group by s.attempt, s.second;
