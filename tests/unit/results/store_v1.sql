-- A store as version 1 wrote it, with one measured trial and one that ran out of
-- memory. Never changed: later versions must still read it. Statements end at the
-- end of a line.
PRAGMA foreign_keys=OFF;
PRAGMA application_id=1346982999;
PRAGMA user_version=1;
BEGIN TRANSACTION;
CREATE TABLE experiment (
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
INSERT INTO experiment VALUES(1,'6f6a1a54-7d0c-4b3e-8a3c-0d5c5f1a9b11','demo','geonames','append-no-conflicts','pitwall','{"version":1}','0.1.0','18446744073709551615','blocks',1000000000,2000000000,2,'running','2024-01-02T03:04:05Z',NULL);
CREATE TABLE tag (
  experiment integer not null references experiment,
  name text not null,
  value text not null,
  primary key (experiment, name)
) without rowid;
INSERT INTO tag VALUES(1,'machine','bench7');
INSERT INTO tag VALUES(1,'who','me');
CREATE TABLE factor (
  id integer primary key,
  experiment integer not null references experiment,
  position integer not null,
  name text not null,
  kind text not null,
  unique (experiment, name)
);
INSERT INTO factor VALUES(1,1,0,'heap','target');
INSERT INTO factor VALUES(2,1,1,'link','link');
CREATE TABLE level (
  id integer primary key,
  factor integer not null references factor,
  position integer not null,
  label text not null,
  value text not null,
  unique (factor, label)
);
INSERT INTO level VALUES(1,1,0,'256m','256m');
INSERT INTO level VALUES(2,1,1,'1g','1g');
INSERT INTO level VALUES(3,2,0,'loopback','loopback');
INSERT INTO level VALUES(4,2,1,'eth200','veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off');
CREATE TABLE cell (
  id integer primary key,
  experiment integer not null references experiment,
  position integer not null,
  label text not null,
  canary integer not null,     -- 1: repeats canary_of, hidden from v_trial
  canary_of integer references cell,
  unique (experiment, position)
);
INSERT INTO cell VALUES(1,1,0,'heap=256m,link=loopback',0,NULL);
INSERT INTO cell VALUES(2,1,1,'heap=256m,link=eth200',0,NULL);
INSERT INTO cell VALUES(3,1,2,'heap=1g,link=loopback',0,NULL);
INSERT INTO cell VALUES(4,1,3,'heap=1g,link=eth200',0,NULL);
INSERT INTO cell VALUES(5,1,4,'heap=256m,link=loopback (again)',1,1);
CREATE TABLE cell_level (
  cell integer not null references cell,
  factor integer not null references factor,
  level integer not null references level,
  primary key (cell, factor)
) without rowid;
INSERT INTO cell_level VALUES(1,1,1);
INSERT INTO cell_level VALUES(1,2,3);
INSERT INTO cell_level VALUES(2,1,1);
INSERT INTO cell_level VALUES(2,2,4);
INSERT INTO cell_level VALUES(3,1,2);
INSERT INTO cell_level VALUES(3,2,3);
INSERT INTO cell_level VALUES(4,1,2);
INSERT INTO cell_level VALUES(4,2,4);
INSERT INTO cell_level VALUES(5,1,1);
INSERT INTO cell_level VALUES(5,2,3);
CREATE TABLE bench (
  id integer primary key,
  name text not null unique
);
INSERT INTO bench VALUES(1,'local');
CREATE TABLE block (
  id integer primary key,
  experiment integer not null references experiment,
  iteration integer not null,
  bench integer not null references bench,
  superseded integer not null default 0
);
INSERT INTO block VALUES(1,1,1,1,0);
INSERT INTO block VALUES(2,1,2,1,0);
CREATE TABLE trial (
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
INSERT INTO trial VALUES(1,1,1,1,1,1,1,1);
INSERT INTO trial VALUES(2,1,2,2,1,1,2,2);
INSERT INTO trial VALUES(3,1,3,3,1,1,3,NULL);
INSERT INTO trial VALUES(4,1,4,4,1,1,4,NULL);
INSERT INTO trial VALUES(5,1,5,5,1,1,5,NULL);
INSERT INTO trial VALUES(6,1,6,5,2,2,1,NULL);
INSERT INTO trial VALUES(7,1,7,4,2,2,2,NULL);
INSERT INTO trial VALUES(8,1,8,3,2,2,3,NULL);
INSERT INTO trial VALUES(9,1,9,2,2,2,4,NULL);
INSERT INTO trial VALUES(10,1,10,1,2,2,5,NULL);
CREATE TABLE attempt (
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
INSERT INTO attempt VALUES(1,1,1,'stored','ok',0,'unclear',NULL,8364,0,0,337584006);
INSERT INTO attempt VALUES(2,2,1,'stored','oom',1,'unclear',NULL,0,0,0,1183826720);
CREATE TABLE attempt_move (
  attempt integer not null references attempt,
  n integer not null,
  state text not null,
  at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
  primary key (attempt, n)
) without rowid;
INSERT INTO attempt_move VALUES(1,0,'planned','2024-01-02T03:04:05.000Z');
INSERT INTO attempt_move VALUES(1,1,'stored','2024-01-02T03:04:05.000Z');
INSERT INTO attempt_move VALUES(2,0,'planned','2024-01-02T03:04:05.000Z');
INSERT INTO attempt_move VALUES(2,1,'stored','2024-01-02T03:04:05.000Z');
CREATE TABLE invalid (
  attempt integer not null references attempt,
  rule text not null,
  evidence text not null,
  primary key (attempt, rule)
) without rowid;
CREATE TABLE metric (
  attempt integer not null references attempt,
  name text not null,          -- `pitwall metrics` defines it
  task text not null,          -- '' for the whole trial
  source text not null,
  value real not null,
  crc integer not null,
  primary key (attempt, name, task)
) without rowid;
INSERT INTO metric VALUES(1,'body_mb_s','','load',0.29999999999999998889,4183683083);
INSERT INTO metric VALUES(1,'body_mb_s','index','load',0.29999999999999998889,3172444801);
INSERT INTO metric VALUES(1,'bytes_per_read','','target',16000.0,4270637135);
INSERT INTO metric VALUES(1,'connects','','load',2.0,618670967);
INSERT INTO metric VALUES(1,'connects_lost','','load',0.0,2598420819);
INSERT INTO metric VALUES(1,'docs_acked','','load',2500.0,2678938153);
INSERT INTO metric VALUES(1,'docs_counted','','target',2500.0,1849381068);
INSERT INTO metric VALUES(1,'docs_failed','','load',100.0,2720680170);
INSERT INTO metric VALUES(1,'docs_failed','index','load',100.0,1709441888);
INSERT INTO metric VALUES(1,'docs_refused','','load',100.0,2882625010);
INSERT INTO metric VALUES(1,'docs_unknown','','load',0.0,587909761);
INSERT INTO metric VALUES(1,'driver_blocked_ns','','load',0.0,778248279);
INSERT INTO metric VALUES(1,'driver_cpu_per_request','','load',2000000.0,2767262817);
INSERT INTO metric VALUES(1,'driver_lag_max_ns','','load',900000.0,2437622395);
INSERT INTO metric VALUES(1,'dropped','','load',0.0,1260621078);
INSERT INTO metric VALUES(1,'dropped','index','load',0.0,249382796);
INSERT INTO metric VALUES(1,'error_rate','','load',0.047619047619047616404,440872787);
INSERT INTO metric VALUES(1,'error_rate','index','load',0.047619047619047616404,3724601801);
INSERT INTO metric VALUES(1,'foreign_cpu','','watch',0.29999999999999998889,2497257892);
INSERT INTO metric VALUES(1,'heap_used_max_bytes','','target',90000000.0,1013309563);
INSERT INTO metric VALUES(1,'late','','load',3.0,28982777);
INSERT INTO metric VALUES(1,'late','index','load',3.0,3312711791);
INSERT INTO metric VALUES(1,'latency_max','','load',21000.0,3124616892);
INSERT INTO metric VALUES(1,'latency_max','index','load',21000.0,2113378610);
INSERT INTO metric VALUES(1,'latency_mean','','load',11000.0,1993849719);
INSERT INTO metric VALUES(1,'latency_mean','index','load',11000.0,982611437);
INSERT INTO metric VALUES(1,'latency_p50','','load',11007.0,141190185);
INSERT INTO metric VALUES(1,'latency_p50','index','load',11007.0,3424919199);
INSERT INTO metric VALUES(1,'link_rx_bit_s','','watch',4000000.0,4180622463);
INSERT INTO metric VALUES(1,'link_rx_share','','watch',0.020000000000000000416,3322237909);
INSERT INTO metric VALUES(1,'link_tx_bit_s','','watch',160000.0,3780057741);
INSERT INTO metric VALUES(1,'old_count','','target',0.0,2018425053);
INSERT INTO metric VALUES(1,'old_pause_ns','','target',0.0,4261024801);
INSERT INTO metric VALUES(1,'old_pause_per_mb','','target',0.0,3598872056);
INSERT INTO metric VALUES(1,'ops_s','','load',10.0,1632011840);
INSERT INTO metric VALUES(1,'ops_s','index','load',10.0,620773558);
INSERT INTO metric VALUES(1,'outside_avg_bytes','','target',64000.0,994185571);
INSERT INTO metric VALUES(1,'outside_bytes','','target',320000.0,359687813);
INSERT INTO metric VALUES(1,'outside_bytes_per_byte','','target',0.5,4169725510);
INSERT INTO metric VALUES(1,'outside_bytes_s','','target',160000.0,1233213310);
INSERT INTO metric VALUES(1,'outside_count','','target',5.0,3652719220);
INSERT INTO metric VALUES(1,'outside_max_bytes','','target',65552.0,2379920500);
INSERT INTO metric VALUES(1,'outside_min_bytes','','target',60000.0,3171603559);
INSERT INTO metric VALUES(1,'pause_max_ns','','target',4000000.0,2772626409);
INSERT INTO metric VALUES(1,'rcvbuf_max','','watch',262144.0,3753949094);
INSERT INTO metric VALUES(1,'rcvbuf_min','','watch',131072.0,2540489788);
INSERT INTO metric VALUES(1,'rcvq_pruned','','watch',6.0,3849018745);
INSERT INTO metric VALUES(1,'reads','','target',40.0,4074386373);
INSERT INTO metric VALUES(1,'records_blocked','','load',0.0,607275550);
INSERT INTO metric VALUES(1,'retransmits','','watch',4.0,4037415373);
INSERT INTO metric VALUES(1,'retried','','load',0.0,2926381896);
INSERT INTO metric VALUES(1,'service_max','','load',20000.0,3724886731);
INSERT INTO metric VALUES(1,'service_max','index','load',20000.0,2713648449);
INSERT INTO metric VALUES(1,'service_mean','','load',10500.0,3004169044);
INSERT INTO metric VALUES(1,'service_mean','index','load',10500.0,1992930762);
INSERT INTO metric VALUES(1,'service_p50','','load',10007.0,2396710015);
INSERT INTO metric VALUES(1,'service_p50','index','load',10007.0,1385471733);
INSERT INTO metric VALUES(1,'steal_cpu','','watch',0.020000000000000000416,4007707121);
INSERT INTO metric VALUES(1,'target_cpu_per_mb','','target',150000000.0,4217558669);
INSERT INTO metric VALUES(1,'throughput','','load',1000.0,2625043541);
INSERT INTO metric VALUES(1,'throughput','index','load',1000.0,1613805259);
INSERT INTO metric VALUES(1,'throughput_max','','load',1100.0,3890654446);
INSERT INTO metric VALUES(1,'throughput_max','index','load',1100.0,2879416164);
INSERT INTO metric VALUES(1,'throughput_median','','load',950.0,1624215633);
INSERT INTO metric VALUES(1,'throughput_median','index','load',950.0,612977351);
INSERT INTO metric VALUES(1,'throughput_min','','load',800.0,1324332640);
INSERT INTO metric VALUES(1,'throughput_min','index','load',800.0,313094358);
INSERT INTO metric VALUES(1,'tlab_avg_bytes','','target',300000.0,1670819780);
INSERT INTO metric VALUES(1,'tlab_bytes','','target',2400000.0,432021245);
INSERT INTO metric VALUES(1,'tlab_bytes_per_byte','','target',3.75,990124492);
INSERT INTO metric VALUES(1,'tlab_bytes_s','','target',1200000.0,3208001032);
INSERT INTO metric VALUES(1,'tlab_count','','target',8.0,1739213775);
INSERT INTO metric VALUES(1,'tlab_max_bytes','','target',400000.0,481319797);
INSERT INTO metric VALUES(1,'tlab_min_bytes','','target',200000.0,3404779033);
INSERT INTO metric VALUES(1,'waste','','target',4.0,3816907676);
INSERT INTO metric VALUES(1,'young_count','','target',6.0,2711286806);
INSERT INTO metric VALUES(1,'young_pause_ns','','target',12000000.0,99727539);
INSERT INTO metric VALUES(1,'young_pause_per_mb','','target',18750000.0,1229838781);
CREATE TABLE histogram (
  attempt integer not null references attempt,
  kind text not null,          -- latency, service, read_bytes, ...
  task text not null,          -- '' for the target's
  second integer,              -- null: the whole window
  blob blob not null,          -- common/hist.h, hist_encode
  crc integer not null
);
INSERT INTO histogram VALUES(1,'latency','index',NULL,X'0115d88c0ee80788a40100d10f02cf0f02970802e70702a30402f30302f30302f30302a90202f90102f90102f90102f90102f90102f90102f90102ab01027d027b027d027b02',347853110);
INSERT INTO histogram VALUES(1,'service','index',NULL,X'0114d0e80ce807a09c0100d10f02cf0f02970802e70702a30402f30302f30302f30302a90202f90102f90102f90102f90102f90102f90102f90102ab01027d027b027d02',3452831092);
INSERT INTO histogram VALUES(1,'latency','index',0,X'0108a09902e807c03e00d10f02cf0f02970802e70702a30402f30302f30302f30302',2203048886);
INSERT INTO histogram VALUES(1,'latency','index',1,X'010db8f30ba84688a40100cb4102f90102f90102f90102f90102f90102f90102f90102ab01027d027b027d027b02',388825024);
INSERT INTO histogram VALUES(1,'read_bytes','',NULL,X'012880a645807d80800400a14f3cdf2014',4000433041);
INSERT INTO histogram VALUES(1,'reads_per_loop','',NULL,X'0128280101000350',4150341279);
CREATE TABLE artifact (
  attempt integer not null references attempt,
  name text not null,
  bytes integer not null,
  crc32c integer not null,     -- of content
  content blob not null,
  unique (attempt, name)
);
INSERT INTO artifact VALUES(1,'target-final.json',686,2025888030,X'7b2276657273696f6e223a312c226f7574636f6d65223a226f6b222c227061727469616c223a66616c73652c22746f74616c223a7b22646f6373223a323530302c22646f63735f6661696c6564223a3130307d2c2277696e646f77223a7b2274305f6e73223a313030303030303030302c2274315f6e73223a333030303030303030302c22646f6373223a323030302c227265717565737473223a32312c2272656a6563746564223a302c227265616473223a34302c22726561645f6279746573223a3634303030302c227a65726f5f7265616473223a302c226275666665725f636f756e74223a34302c226275666665725f6279746573223a323536303030302c226370755f6e73223a39363030303030307d2c2268656170223a7b22757365645f6d61785f6279746573223a39303030303030302c22616c6c6f635f6279746573223a333230303030302c22746c61625f636f756e74223a382c22746c61625f6279746573223a323430303030302c22746c61625f6d696e5f6279746573223a3230303030302c22746c61625f6d61785f6279746573223a3430303030302c226f7574736964655f636f756e74223a352c226f7574736964655f6279746573223a3332303030302c226f7574736964655f6d696e5f6279746573223a36303030302c226f7574736964655f6d61785f6279746573223a36353535322c22796f756e675f636f756e74223a362c22796f756e675f70617573655f6e73223a31323030303030302c226f6c645f636f756e74223a302c226f6c645f70617573655f6e73223a302c2270617573655f6d61785f6e73223a343030303030307d2c22726561645f6279746573223a5b5b31363030302c33305d2c5b36353533362c31305d5d2c2272656164735f7065725f6c6f6f70223a5b5b312c34305d5d2c22736572766963655f6e73223a5b5d7d');
INSERT INTO artifact VALUES(1,'executor.json',155,2542913894,X'7b2276657273696f6e223a312c226c696e6b223a7b226b696e64223a2276657468222c226c6f6164223a7b227164697363223a227462662072617465203235303030303030422f73206275727374203332373638206c696d697420323832373638227d7d2c2273797363746c73223a7b226e65742e697076342e7463705f726d656d223a2234303936203133313037322036323931343536227d7d');
INSERT INTO artifact VALUES(1,'stderr-target.txt',10,1115943245,X'6c697374656e696e670a');
CREATE TABLE host_fact (
  experiment integer not null references experiment,
  agent text not null,
  name text not null,
  value text not null,
  primary key (experiment, agent, name)
) without rowid;
CREATE TABLE note (
  id integer primary key,
  experiment integer not null references experiment,
  trial integer references trial,
  at text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  text text not null
);
CREATE TABLE sample_load (
  attempt integer not null references attempt,
  second integer not null,
  task text not null,
  ops integer not null,
  docs integer not null,
  bytes integer not null,
  errors integer not null,
  docs_failed integer not null,
  late integer not null,
  in_flight integer not null,
  crc integer not null,
  primary key (attempt, second, task)
) without rowid;
INSERT INTO sample_load VALUES(1,-1,'index',5,500,150000,0,0,0,0,3268579048);
INSERT INTO sample_load VALUES(1,0,'index',8,800,240000,0,0,0,0,3086581583);
INSERT INTO sample_load VALUES(1,1,'index',11,1100,330000,1,100,0,0,2388064574);
INSERT INTO sample_load VALUES(1,2,'index',1,100,30000,0,0,0,0,2620853524);
CREATE TABLE sample_link (
  attempt integer not null references attempt,
  second integer not null,
  side text not null,
  iface text not null,
  rx_bytes integer not null,
  rx_packets integer not null,
  rx_dropped integer not null,
  rx_errors integer not null,
  tx_bytes integer not null,
  tx_packets integer not null,
  tx_dropped integer not null,
  tx_errors integer not null,
  crc integer not null,
  primary key (attempt, second, side, iface)
) without rowid;
INSERT INTO sample_link VALUES(1,-1,'load','veth0',500000,400,0,0,20000,300,0,0,1527420310);
INSERT INTO sample_link VALUES(1,-1,'target','veth0',500000,400,0,0,20000,300,0,0,3052374259);
INSERT INTO sample_link VALUES(1,0,'load','veth0',500000,400,0,0,20000,300,0,0,2537635417);
INSERT INTO sample_link VALUES(1,0,'target','veth0',500000,400,0,0,20000,300,0,0,4062589366);
INSERT INTO sample_link VALUES(1,1,'load','veth0',500000,400,0,0,20000,300,0,0,3493665084);
INSERT INTO sample_link VALUES(1,1,'target','veth0',500000,400,0,0,20000,300,0,0,723651737);
INSERT INTO sample_link VALUES(1,2,'load','veth0',500000,400,0,0,20000,300,0,0,620336275);
INSERT INTO sample_link VALUES(1,2,'target','veth0',500000,400,0,0,20000,300,0,0,2145290224);
CREATE TABLE sample_tcp (
  attempt integer not null references attempt,
  second integer not null,
  side text not null,
  segs_in integer not null,
  segs_out integer not null,
  segs_retrans integer not null,
  timeouts integer not null,
  rcvq_pruned integer not null,
  rcvq_collapsed integer not null,
  listen_drops integer not null,
  sockets integer not null,
  rcvq_bytes integer not null,
  sndq_bytes integer not null,
  rcvbuf_min integer not null,
  rcvbuf_max integer not null,
  rtt_ns integer,
  cwnd integer,
  rwnd_limited_ns integer,
  busy_ns integer,
  crc integer not null,
  primary key (attempt, second, side)
) without rowid;
INSERT INTO sample_tcp VALUES(1,-1,'load',400,300,2,0,0,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,410381627);
INSERT INTO sample_tcp VALUES(1,-1,'target',400,300,0,0,3,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,3198122023);
INSERT INTO sample_tcp VALUES(1,0,'load',400,300,2,0,0,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,1420596734);
INSERT INTO sample_tcp VALUES(1,0,'target',400,300,0,0,3,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,4208337130);
INSERT INTO sample_tcp VALUES(1,1,'load',400,300,2,0,0,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,2376626401);
INSERT INTO sample_tcp VALUES(1,1,'target',400,300,0,0,3,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,869399501);
INSERT INTO sample_tcp VALUES(1,2,'load',400,300,2,0,0,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,3798264888);
INSERT INTO sample_tcp VALUES(1,2,'target',400,300,0,0,3,0,0,2,0,0,131072,262144,50000,NULL,NULL,NULL,2291037988);
CREATE TABLE sample_cpu (
  attempt integer not null references attempt,
  second integer not null,
  side text not null,
  user_ns integer not null,
  system_ns integer not null,
  irq_ns integer not null,
  softirq_ns integer not null,
  steal_ns integer not null,
  iowait_ns integer not null,
  idle_ns integer not null,
  crc integer not null,
  primary key (attempt, second, side)
) without rowid;
INSERT INTO sample_cpu VALUES(1,-1,'load',700000000,300000000,0,100000000,20000000,0,880000000,220823831);
INSERT INTO sample_cpu VALUES(1,-1,'target',700000000,300000000,0,100000000,20000000,0,880000000,1745777780);
INSERT INTO sample_cpu VALUES(1,0,'load',700000000,300000000,0,100000000,20000000,0,880000000,1231038938);
INSERT INTO sample_cpu VALUES(1,0,'target',700000000,300000000,0,100000000,20000000,0,880000000,2755992887);
INSERT INTO sample_cpu VALUES(1,1,'load',700000000,300000000,0,100000000,20000000,0,880000000,2187068605);
INSERT INTO sample_cpu VALUES(1,1,'target',700000000,300000000,0,100000000,20000000,0,880000000,3712022554);
INSERT INTO sample_cpu VALUES(1,2,'load',700000000,300000000,0,100000000,20000000,0,880000000,3608707092);
INSERT INTO sample_cpu VALUES(1,2,'target',700000000,300000000,0,100000000,20000000,0,880000000,838693745);
CREATE TABLE sample_disk (
  attempt integer not null references attempt,
  second integer not null,
  side text not null,
  device text not null,
  read_bytes integer not null,
  write_bytes integer not null,
  busy_ns integer not null,
  crc integer not null,
  primary key (attempt, second, side, device)
) without rowid;
CREATE TABLE sample_proc (
  attempt integer not null references attempt,
  second integer not null,
  side text not null,
  name text not null,
  user_ns integer not null,
  system_ns integer not null,
  rss_bytes integer not null,
  threads integer not null,
  majflt integer not null,
  crc integer not null,
  primary key (attempt, second, side, name)
) without rowid;
INSERT INTO sample_proc VALUES(1,-1,'load','load',300000000,100000000,50000000,4,0,1908609098);
INSERT INTO sample_proc VALUES(1,-1,'target','target',300000000,100000000,50000000,4,0,4121056417);
INSERT INTO sample_proc VALUES(1,0,'load','load',300000000,100000000,50000000,4,0,2918824205);
INSERT INTO sample_proc VALUES(1,0,'target','target',300000000,100000000,50000000,4,0,836304228);
INSERT INTO sample_proc VALUES(1,1,'load','load',300000000,100000000,50000000,4,0,3874853872);
INSERT INTO sample_proc VALUES(1,1,'target','target',300000000,100000000,50000000,4,0,1792333895);
INSERT INTO sample_proc VALUES(1,2,'load','load',300000000,100000000,50000000,4,0,1001525063);
INSERT INTO sample_proc VALUES(1,2,'target','target',300000000,100000000,50000000,4,0,3213972382);
CREATE TABLE sample_target (
  attempt integer not null references attempt,
  second integer not null,
  docs integer not null,
  requests integer not null,
  rejected integer not null,
  errors integer not null,
  reads integer not null,
  read_bytes integer not null,
  buffer_bytes integer not null,
  tlab_bytes integer,
  outside_bytes integer,
  heap_used integer not null,
  heap_max integer not null,
  young_count integer,
  young_ns integer,
  old_count integer,
  old_ns integer,
  crc integer not null,
  primary key (attempt, second)
) without rowid;
INSERT INTO sample_target VALUES(1,-1,1000,10,0,0,20,300000,1310720,NULL,NULL,70000000,268435456,NULL,NULL,NULL,NULL,1915922296);
INSERT INTO sample_target VALUES(1,0,1000,10,0,0,20,300000,1310720,NULL,NULL,70000000,268435456,NULL,NULL,NULL,NULL,2926137403);
INSERT INTO sample_target VALUES(1,1,1000,10,0,0,20,300000,1310720,NULL,NULL,70000000,268435456,NULL,NULL,NULL,NULL,3882167070);
INSERT INTO sample_target VALUES(1,2,1000,10,0,0,20,300000,1310720,NULL,NULL,70000000,268435456,NULL,NULL,NULL,NULL,1008838261);
CREATE TABLE task (
  attempt integer not null references attempt,
  task text not null,
  operation text not null,
  unit text not null,
  clients integer not null,
  window_ns integer not null,
  ops integer not null,
  docs integer not null,
  bytes integer not null,
  received integer not null,
  errors integer not null,
  docs_failed integer not null,
  offered_s real,
  late integer not null,
  dropped integer not null,
  error_text text,
  crc integer not null,
  primary key (attempt, task)
) without rowid;
INSERT INTO task VALUES(1,'index','bulk','docs',2,2000000000,20,2000,600000,4000,1,100,NULL,3,0,NULL,2456535527);
CREATE TABLE driver (
  attempt integer not null references attempt,
  engine text not null,
  threads integer not null,
  docs_acked integer not null,
  docs_refused integer not null,
  docs_unknown integer not null,
  requests integer not null,
  body_bytes integer not null,
  connects integer not null,
  connects_lost integer not null,
  retried integer not null,
  cpu_user_ns integer not null,
  cpu_system_ns integer not null,
  loop_lag_max_ns integer not null,
  send_blocked_ns integer not null,
  records_blocked integer not null,
  crc integer not null,
  primary key (attempt)
) without rowid;
INSERT INTO driver VALUES(1,'raw',1,2500,100,0,26,780000,2,0,0,30000000,12000000,900000,0,0,810839794);
CREATE TABLE fact (
  attempt integer not null references attempt,
  side text not null,
  name text not null,
  value text not null,
  crc integer not null,
  primary key (attempt, side, name)
) without rowid;
INSERT INTO fact VALUES(1,'target','link','veth mtu 1500',3222596479);
CREATE INDEX experiment_name on experiment (name);
CREATE INDEX block_experiment on block (experiment);
CREATE INDEX trial_block on trial (block);
CREATE UNIQUE INDEX histogram_key
  on histogram (attempt, kind, task, coalesce(second, -1000000));
CREATE VIEW v_cell as
select t.experiment, t.cell as cell_id, c.label as cell, c.canary,
       count(*) as trials,
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
 group by t.cell;
COMMIT;
