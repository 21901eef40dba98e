/* Draws the charts of a page from its data, and the tables behind them. */
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SHOWN = 8; /* cells that are drawn at first */
  const LIGHT = ["#0b57a4", "#b34700", "#00704d", "#8f2d73", "#6d5a00",
    "#4a4fc4", "#a81f2b", "#4c5663"];
  const DARK = ["#6db3f8", "#ff9d5c", "#45d6a2", "#ee9ed0", "#dcc650",
    "#aab2ff", "#ff8f86", "#b6c1cc"];
  const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [14, 4], [4, 6]];
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const on = data.cells.map((cell, i) => i < SHOWN);
  const charts = [];

  function style(name) {
    return getComputedStyle(document.documentElement)
      .getPropertyValue(name).trim();
  }
  function colour(i) {
    const all = dark.matches && !printing ? DARK : LIGHT;
    return all[i % all.length];
  }
  function dash(i) {
    return DASHES[Math.floor(i / LIGHT.length) % DASHES.length];
  }
  function fade(hex, share) {
    return hex + Math.round(share * 255).toString(16).padStart(2, "0");
  }
  function short(v) {
    if (v === null || !isFinite(v)) return "-";
    if (v === 0) return "0";
    const size = Math.abs(v);
    const units = [[1e9, "G"], [1e6, "M"], [1e4, "k"]];
    for (const [from, letter] of units)
      if (size >= from) {
        const by = letter === "k" ? 1e3 : from;
        return Number((v / by).toPrecision(4)) + letter;
      }
    return String(Number(v.toPrecision(4)));
  }
  function bytes(v) {
    if (v >= 1048576) return Number((v / 1048576).toPrecision(3)) + " MiB";
    if (v >= 1024) return Number((v / 1024).toPrecision(3)) + " KiB";
    return v + " B";
  }
  function element(name, text, parent) {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  /* A table behind a chart: heads, then rows of texts. */
  function table(id, caption, heads, rows) {
    const place = document.getElementById("table-" + id);
    const wide = element("div", undefined, place);
    wide.className = "wide";
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", caption);
    const t = element("table", undefined, wide);
    element("caption", caption, t);
    const head = element("tr", undefined, element("thead", undefined, t));
    heads.forEach((text) => {
      element("th", text, head).scope = "col";
    });
    const body = element("tbody", undefined, t);
    rows.forEach((row) => {
      const tr = element("tr", undefined, body);
      row.forEach((text, i) => {
        const cell = element(i ? "td" : "th", text, tr);
        if (i) cell.className = "n";
        else cell.scope = "row";
      });
    });
  }
  /* Nothing to draw: say so in the chart's place, or take it away. */
  function nothing(id, why) {
    const canvas = document.getElementById("chart-" + id);
    if (why === null) return canvas.closest("section").remove();
    const p = element("p", why);
    p.className = "nothing";
    canvas.parentNode.replaceWith(p);
    document.getElementById("table-" + id).remove();
  }

  function scale(title, more) {
    return Object.assign({
      title: { display: true, text: title, color: style("--soft") },
      ticks: { color: style("--soft"), maxRotation: 0, autoSkipPadding: 12 },
      grid: { color: style("--line") },
    }, more);
  }
  function ticks(callback) {
    return { color: style("--soft"), maxRotation: 0, autoSkipPadding: 12,
      callback };
  }
  const OPTIONS = {
    animation: false, responsive: true, maintainAspectRatio: false,
    parsing: false, normalized: true,
    elements: { point: { radius: 0, hitRadius: 6 } },
    interaction: { mode: "nearest", intersect: false },
  };
  function line(i, points, more) {
    return Object.assign({
      cell: i, label: data.cells[i].label, data: points, hidden: !on[i],
      borderColor: colour(i), backgroundColor: colour(i), borderWidth: 2,
      borderDash: dash(i),
    }, more);
  }
  function tip(words) {
    return {
      legend: { display: false },
      tooltip: {
        filter: (item) => !item.dataset.edge,
        callbacks: { label: words, title: () => "" },
      },
    };
  }

  /* The time before the window is shaded. */
  const warmUp = {
    id: "warmUp",
    beforeDatasetsDraw(chart) {
      const x = chart.scales.x, area = chart.chartArea;
      const end = Math.min(x.getPixelForValue(0), area.right);
      if (end <= area.left) return;
      chart.ctx.save();
      chart.ctx.fillStyle = style("--warm");
      chart.ctx.fillRect(area.left, area.top, end - area.left,
        area.bottom - area.top);
      chart.ctx.fillStyle = style("--soft");
      chart.ctx.font = "12px system-ui, sans-serif";
      chart.ctx.fillText("warm-up", area.left + 4, area.top + 14);
      chart.ctx.restore();
    },
  };

  /* Where the link is full. */
  const full = {
    id: "full",
    afterDatasetsDraw(chart) {
      const y = chart.scales.y.getPixelForValue(100), area = chart.chartArea;
      chart.ctx.save();
      chart.ctx.strokeStyle = style("--fore");
      chart.ctx.lineWidth = 1;
      chart.ctx.setLineDash([4, 3]);
      chart.ctx.beginPath();
      chart.ctx.moveTo(area.left, y);
      chart.ctx.lineTo(area.right, y);
      chart.ctx.stroke();
      chart.ctx.restore();
    },
  };

  /* A value each second. missing null: what no cell tells is not mentioned. */
  function series(id, what, unit, missing) {
    const t = data.time;
    const at = (i) => t.first + i * t.step;
    if (!data.cells.some((c) => c[id])) return nothing(id, missing);
    if (t.points < 3)
      return nothing(id, "The window is too short for a curve: " +
        t.points + (t.points === 1 ? " whole second." : " whole seconds."));
    const number = (y) => y === null ? NaN : y;
    const sets = [];
    data.cells.forEach((cell, i) => {
      const r = cell[id];
      if (!r) return;
      const edge = (values, more) => line(i,
        values.map((y, k) => ({ x: at(k), y: number(y) })),
        Object.assign({ edge: true, borderWidth: 0,
          backgroundColor: fade(colour(i), 0.16) }, more));
      sets.push(edge(r.least, { fill: false }));
      sets.push(edge(r.most, { fill: "-1" }));
      sets.push(line(i, r.mean.map((y, k) => ({ x: at(k), y: number(y) }))));
    });
    const rows = [];
    for (let k = 0; k < t.points; k++)
      rows.push([String(at(k))].concat(data.cells.map((c) =>
        c[id] ? short(c[id].mean[k]) : "-")));
    table(id, what + ", by second of the window",
      ["second"].concat(data.cells.map((c) => c.label)), rows);
    const link = id === "traffic";
    draw(id, {
      type: "line", data: { datasets: sets },
      plugins: link ? [warmUp, full] : [warmUp],
      options: {
        scales: {
          x: scale("seconds from the window's begin",
            { type: "linear", min: t.first,
              max: at(t.points - 1) }),
          y: scale(unit, { beginAtZero: true, ticks: ticks(short),
            suggestedMax: link ? 105 : undefined }),
        },
        plugins: tip((item) => item.dataset.label + ": " +
          short(item.parsed.y) + " " + unit + " at " + item.parsed.x + " s"),
      },
    });
  }

  /* Percentiles by their distance from all: 90, 99, 99.9 are evenly spaced. */
  const PERCENTS = [0, 50, 90, 99, 99.9, 99.99, 99.999];
  function latency() {
    const beyond = (percent) => 100 / (100 - percent);
    if (!data.cells.some((c) => c.latency && c.latency.length))
      return nothing("latency", "No latencies were recorded.");
    const percents = [...new Set(data.cells.flatMap((c) =>
      (c.latency || []).map((p) => p[0])))].sort((a, b) => a - b);
    table("latency", "latency in ms, by percentile",
      ["percentile"].concat(data.cells.map((c) => c.label)),
      percents.map((p) => [String(p)].concat(data.cells.map((c) => {
        const point = (c.latency || []).find((q) => q[0] === p);
        return point ? short(point[1]) : "-";
      }))));
    draw("latency", {
      type: "line",
      data: {
        datasets: data.cells.map((c, i) => line(i, (c.latency || [])
          .map(([p, ms]) => ({ x: beyond(p), y: ms })))),
      },
      options: {
        scales: {
          x: scale("percentile", {
            type: "logarithmic", min: 1,
            max: beyond(percents[percents.length - 1]),
            afterBuildTicks: (axis) => {
              axis.ticks = PERCENTS.map((p) => ({ value: beyond(p) }))
                .filter((tick) => tick.value <= axis.max * 1.001);
            },
            ticks: ticks((v) =>
              Number((100 - 100 / v).toPrecision(6)) + " %"),
          }),
          y: scale("ms", { type: "logarithmic", ticks: ticks(short) }),
        },
        plugins: tip((item) => item.dataset.label + ": " +
          short(item.parsed.y) + " ms at " +
          Number((100 - 100 / item.parsed.x).toPrecision(6)) + " %"),
      },
    });
  }

  function reads() {
    if (!data.cells.some((c) => c.reads && c.reads.length))
      return nothing("reads", "No reads were recorded: this target does not " +
        "tell them.");
    const ends = [...new Set(data.cells.flatMap((c) =>
      (c.reads || []).map((p) => p[0])))].sort((a, b) => a - b);
    table("reads", "percent of all reads, by bytes of a read (upper end)",
      ["at most"].concat(data.cells.map((c) => c.label)),
      ends.map((end) => [bytes(end)].concat(data.cells.map((c) => {
        const point = (c.reads || []).find((q) => q[0] === end);
        return point ? short(point[1]) : "0";
      }))));
    /* Where reads begin to count: a chart of rare small ones shows nothing. */
    const start = Math.min(...data.cells.map((c) => {
      const first = (c.reads || []).find((p) => p[1] >= 0.5);
      return first ? first[0] : Infinity;
    })) / 2;
    draw("reads", {
      type: "line",
      data: {
        datasets: data.cells.map((c, i) => line(i, (c.reads || [])
          .map(([x, y]) => ({ x, y })), { stepped: "after", fill: "origin",
          backgroundColor: fade(colour(i), 0.12) })),
      },
      options: {
        scales: {
          x: scale("bytes of one read", {
            type: "logarithmic", min: start / 1.2,
            max: ends[ends.length - 1],
            afterBuildTicks: (axis) => {
              axis.ticks = [];
              for (let v = 1; v <= axis.max * 1.001; v *= 4)
                if (v >= axis.min) axis.ticks.push({ value: v });
            },
            ticks: ticks(bytes),
          }),
          y: scale("% of reads", { beginAtZero: true, ticks: ticks(short) }),
        },
        plugins: tip((item) => item.dataset.label + ": " +
          short(item.parsed.y) + " % of reads up to " +
          bytes(item.parsed.x)),
      },
    });
  }

  function bar(id, missing) {
    const parts = data.bars[id].filter((p) =>
      p.values.some((v) => v !== null));
    if (!parts.length) return nothing(id, missing);
    const unit = parts[0].unit, stacked = id !== "link";
    table(id, parts.map((p) => p.name).join(", ") + " [" + unit + "]",
      ["cell"].concat(parts.map((p) => p.name)),
      data.cells.map((c, i) => [c.label].concat(parts.map((p) =>
        short(p.values[i])))));
    const place = document.getElementById("chart-" + id).parentNode;
    place.style.height = (6 + 1.7 * data.cells.length) + "rem";
    draw(id, {
      type: "bar",
      data: {
        labels: data.cells.map((c) => c.label),
        datasets: parts.map((p, k) => ({
          label: p.name, data: p.values, part: k,
          backgroundColor: colour(k), borderWidth: 0,
        })),
      },
      options: {
        parsing: true, normalized: false, indexAxis: "y",
        interaction: { mode: "index", intersect: false },
        scales: {
          x: scale(unit, { beginAtZero: true, stacked, ticks: ticks(short),
            suggestedMax: id === "link" ? 100 : undefined }),
          y: scale("", { stacked, grid: { display: false },
            title: { display: false } }),
        },
        plugins: {
          legend: { display: parts.length > 1, align: "start",
            labels: { color: style("--fore"), boxWidth: 14 } },
          tooltip: { callbacks: { label: (item) => item.dataset.label + ": " +
            short(item.parsed.x) + " " + unit } },
        },
      },
    });
  }

  /* The estimate stands in its interval, and 0 is marked. */
  const estimates = {
    id: "estimates",
    afterDatasetsDraw(chart) {
      const x = chart.scales.x, y = chart.scales.y, area = chart.chartArea;
      const ctx = chart.ctx;
      ctx.save();
      ctx.strokeStyle = style("--fore");
      ctx.lineWidth = 1;
      ctx.setLineDash([4, 3]);
      ctx.beginPath();
      ctx.moveTo(x.getPixelForValue(0), area.top);
      ctx.lineTo(x.getPixelForValue(0), area.bottom);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.fillStyle = style("--fore");
      data.effects.forEach((effect, i) => {
        ctx.beginPath();
        ctx.arc(x.getPixelForValue(effect.change), y.getPixelForValue(i), 5,
          0, 2 * Math.PI);
        ctx.fill();
      });
      ctx.restore();
    },
  };
  function effects() {
    if (!document.getElementById("chart-effects")) return;
    if (!data.effects.length)
      return nothing("effects", "There are too few blocks for intervals.");
    const unit = data.effectsUnit;
    const signed = (v) => (v > 0 ? "+" : "") + short(v) +
      (unit === "%" ? "" : " ") + unit;
    table("effects", "change with its interval", ["effect", "change", "from",
      "to"], data.effects.map((e) => [e.label, signed(e.change),
      signed(e.low), signed(e.high)]));
    const place = document.getElementById("chart-effects").parentNode;
    place.style.height = (5 + 1.9 * data.effects.length) + "rem";
    draw("effects", {
      type: "bar",
      data: {
        labels: data.effects.map((e) => e.label),
        datasets: [{ label: "interval", part: 0, borderWidth: 0,
          backgroundColor: colour(0), barThickness: 6,
          data: data.effects.map((e) => [e.low, e.high]) }],
      },
      plugins: [estimates],
      options: {
        parsing: true, normalized: false, indexAxis: "y",
        interaction: { mode: "index", axis: "y", intersect: false },
        scales: {
          x: scale("change [" + unit + "]", { ticks: ticks(short) }),
          y: scale("", { grid: { display: false },
            title: { display: false } }),
        },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: { label: (item) => {
            const e = data.effects[item.dataIndex];
            return signed(e.change) + " [" + signed(e.low) + ", " +
              signed(e.high) + "]";
          } } },
        },
      },
    });
  }

  function draw(id, config) {
    config.options = Object.assign({}, OPTIONS, config.options);
    charts.push(new Chart(document.getElementById("chart-" + id), config));
  }

  /* Colours follow the reader's choice of light or dark, and paper is light. */
  function paint() {
    charts.forEach((chart) => {
      chart.data.datasets.forEach((set) => {
        const c = colour(set.cell === undefined ? set.part : set.cell);
        const faded = set.edge ? 0.16 : set.fill ? 0.12 : 1;
        set.borderColor = c;
        set.backgroundColor = faded < 1 ? fade(c, faded) : c;
      });
      Object.values(chart.options.scales).forEach((axis) => {
        axis.ticks.color = style("--soft");
        axis.grid.color = style("--line");
        if (axis.title) axis.title.color = style("--soft");
      });
      if (chart.options.plugins.legend.labels)
        chart.options.plugins.legend.labels.color = style("--fore");
      chart.resize();
      chart.update("none");
    });
    keys();
  }

  function keys() {
    document.querySelectorAll(".key").forEach((canvas, i) => {
      const ctx = canvas.getContext("2d");
      canvas.width = 52;
      canvas.height = 28;
      ctx.strokeStyle = colour(i);
      ctx.lineWidth = 6;
      ctx.setLineDash(dash(i).map((d) => 2 * d));
      ctx.beginPath();
      ctx.moveTo(0, 14);
      ctx.lineTo(52, 14);
      ctx.stroke();
    });
  }

  function choose() {
    const box = document.getElementById("cells");
    data.cells.forEach((cell, i) => {
      const label = element("label", undefined, box);
      const check = element("input", undefined, label);
      check.type = "checkbox";
      check.checked = on[i];
      check.addEventListener("change", () => {
        on[i] = check.checked;
        charts.forEach((chart) => {
          chart.data.datasets.forEach((set) => {
            if (set.cell === i) set.hidden = !on[i];
          });
          chart.update("none");
        });
      });
      element("canvas", undefined, label).className = "key";
      element("span", cell.label, label);
    });
  }

  choose();
  effects();
  series("rate", "mean documents per second", "docs/s",
    "No trial is valid and complete.");
  latency();
  reads();
  series("pauses", "mean ms per second that collections stopped the target",
    "ms/s", null);
  series("collections", "mean collections per second", "collections/s", null);
  series("compiles", "mean compilations per second", "methods/s", null);
  series("compiling", "mean ms of compiling per second", "ms/s", null);
  series("traffic", "mean percent of the link's capacity", "%", null);
  bar("gc", "This target does not tell of collections.");
  bar("allocation", "This target does not tell of its memory.");
  bar("link", "What the link carries was not measured, or nothing passed it.");
  keys();
  dark.addEventListener("change", paint);
  window.addEventListener("beforeprint", () => { printing = true; paint(); });
  window.addEventListener("afterprint", () => { printing = false; paint(); });
})();
