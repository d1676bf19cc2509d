// Charts of what-if sweeps: ranks, lines along a number, maps of two things that vary.

/** Numbers that may vary, and how an axis names them. GPUs are sets; their number may stand for them. */
const numericFields = ["num_keys", "gpu_count", "parameter", "digit_bits", "tolerance_ppm", "fuse_ppm"];
const namedByValue = ["algorithm", "distribution", "key_type", "link", "input_on", "platform"];

function fieldText(field, value) {
  if (value === null || value === undefined) {
    return field === "link" ? "as it is" : "default";
  }
  return typeof value === "number" && field === "num_keys" ? formatShort(value) : String(value);
}

function gpusOf(row) {
  return row.gpu_count === 0 ? "the CPUs" : `GPU${row.gpu_count === 1 ? "" : "s"} ${row.gpus}`;
}

/** What distinguishes a row from the others, except for some fields. */
function rowName(section, row, without = []) {
  const words = section.varied.filter((axis) => !without.includes(axis.field))
    .map((axis) => (namedByValue.includes(axis.field) ? fieldText(axis.field, row[axis.field])
      : axis.field === "num_keys" ? `${fieldText(axis.field, row.num_keys)} keys` : `${axis.name.toLowerCase()} ${fieldText(axis.field, row[axis.field])}`));
  if (section.gpus_vary && !without.includes("gpu_count")) {
    words.push(gpusOf(row));
  }
  return words.join(", ") || "all";
}

/** "222.3 ms (209 to 236)": what is predicted, and between which times it lies. */
function totalText(row) {
  const interval = row.interval_ms ? ` (${row.interval_ms.map((ms) => trimmed(Number(ms.toPrecision(3)))).join(" to ")})` : "";
  return `${formatMs(Number(row.total_ms.toPrecision(4)))}${interval}`;
}

function sweepTable(section) {
  return {
    columns: ["platform", "algorithm", "keys", "key type", "distribution", "parameter", "digit bits", "tolerance (ppm)", "fuse (ppm)", "link change", "GPUs",
      "sets like it", "passes", "key swap (ms)", "total (ms)", "from (ms)", "to (ms)", "keys/s", "speed-up", "memory per GPU (B)", "cannot run because"],
    count: section.rows.length,
    rows: () => section.rows.map((row) => [row.platform ?? "", row.algorithm, row.num_keys, row.key_type, row.distribution, row.parameter ?? "", row.digit_bits,
      row.tolerance_ppm, row.fuse_ppm, row.link ?? "", row.gpus, row.equivalent_sets, row.passes ?? "", row.key_swap_ms ?? "", row.total_ms ?? "",
      row.interval_ms?.[0] ?? "", row.interval_ms?.[1] ?? "", row.keys_per_s ?? "", row.speed_up ?? "", row.device_bytes ?? "", row.error ?? ""]),
  };
}

/** The number at the end of a link change: 300 of "nvlink=300". */
function linkNumber(link) {
  const number = link?.match(/[\d.]+$/);
  return number ? Number(number[0]) : null;
}

/** The number that was asked for: the first that varies in several values, else how many GPUs. With `at`, a row's value of it. */
function numericAxis(section) {
  const axes = section.varied.map(({ field, name }) => ({ field, name, at: field === "link" ? (row) => linkNumber(row.link) : (row) => (typeof row[field] === "number" ? row[field] : null) }))
    .concat({ field: "gpu_count", name: "GPUs", at: (row) => row.gpu_count });
  return axes.find(({ at }) => new Set(section.rows.map(at).filter((value) => value !== null)).size > 1);
}

function sweepLines(section, axis) {
  const runs = section.rows.filter((row) => row.total_ms !== null && axis.at(row) !== null);
  const series = new Map();
  for (const row of runs) {
    const name = rowName(section, row, [axis.field]);
    const points = series.get(name) ?? new Map();
    // Of several sets of GPUs of one number the fastest answers.
    if (!(points.get(axis.at(row))?.total_ms <= row.total_ms)) {
      points.set(axis.at(row), row);
    }
    series.set(name, points);
  }
  const names = [...series.keys()].slice(0, 16);
  const along = runs.map(axis.at);
  const [least, most] = [Math.min(...along), Math.max(...along)];
  const log = axis.field === "num_keys" && least > 0;
  const pointsOf = (name) => [...series.get(name)].sort((a, b) => a[0] - b[0]);
  const whole = ["gpu_count", "digit_bits"].includes(axis.field);
  return {
    id: "lines",
    title: `Time by ${axis.field === "gpu_count" ? "number of GPUs" : axis.name.toLowerCase()}`,
    note: "Lines with ends are intervals." + (series.size > names.length ? ` ${names.length} of ${series.size} series; the numbers below have all.` : ""),
    height: 400,
    empty: runs.length === 0 ? "None of the combinations can run." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: { ...baseOption(theme).tooltip, formatter: (item) => `${series.size > 1 ? `${escapeHtml(item.seriesName)}<br>` : ""}${axis.name} ${formatShort(item.value[0])}: ${formatMs(item.value[1])}` },
      ...(series.size > 1 && { legend: legendLook(theme) }),
      grid: { left: 70, right: 24, top: series.size > 1 ? 40 : 16, bottom: 48 },
      xAxis: axisLook(theme, {
        ...(log ? { type: "log" } : { type: "value", ...(whole ? { min: least, max: most, minInterval: 1 } : roundLimits(Math.min(0, least), most, stepsIn(width - 94))) }),
        name: axis.name, nameLocation: "middle", nameGap: 30, axisLabel: { margin: belowCorner, formatter: (value) => formatShort(value) },
      }),
      yAxis: axisLook(theme, {
        ...(axis.field === "num_keys" ? { type: "log" } : { type: "value", min: 0 }), name: "total (ms)", nameLocation: "middle", nameGap: 50,
        axisLabel: { formatter: (ms) => formatPlain(ms) },
      }),
      series: names.map((name, index) => ({
        id: name, name, type: "line", animation: false, color: okabeIto[index % okabeIto.length], symbolSize: 8,
        symbol: ["circle", "rect", "triangle", "diamond"][index % 4], lineStyle: { width: 2, type: ["solid", "dashed", "dotted"][Math.floor(index / 8) % 3] },
        data: pointsOf(name).map(([at, row]) => [at, row.total_ms]),
      })).concat(names.map((name, index) => ({
        id: `${name} interval`, type: "custom", silent: true, animation: false, tooltip: { show: false }, encode: { x: 0, y: [1, 2] }, renderItem: renderInterval(okabeIto[index % okabeIto.length]),
        data: pointsOf(name).filter(([, row]) => row.interval_ms).map(([at, row]) => [at, ...row.interval_ms]),
      }))),
    }),
    table: sweepTable(section),
  };
}

/** From the earliest to the latest time that a prediction allows. */
function renderInterval(color) {
  return (params, api) => {
    const [x, top] = api.coord([api.value(0), api.value(2)]);
    const bottom = api.coord([api.value(0), api.value(1)])[1];
    const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: color, lineWidth: 1.2 } });
    return { type: "group", children: [line(x, top, x, bottom), line(x - 4, top, x + 4, top), line(x - 4, bottom, x + 4, bottom)] };
  };
}

function sweepHeat(section) {
  const [across, down] = section.varied;
  const others = section.varied.slice(2);
  const first = section.rows[0];
  const cells = section.rows.filter((row) => row.total_ms !== null && row.gpus === first.gpus && others.every((axis) => row[axis.field] === first[axis.field]));
  const [least, most] = [Math.min(...cells.map((row) => row.total_ms)), Math.max(...cells.map((row) => row.total_ms))];
  const values = (axis) => [...new Set(section.rows.map((row) => fieldText(axis.field, row[axis.field])))];
  const fixed = others.map((axis) => `${axis.name.toLowerCase()} ${fieldText(axis.field, first[axis.field])}`).concat(section.gpus_vary ? [gpusOf(first)] : []);
  return {
    id: "heat",
    title: `Time in ms, by ${across.name.toLowerCase()} and ${down.name.toLowerCase()}`,
    note: fixed.length > 0 ? `With ${fixed.join(", ")}.` : "",
    height: 150 + 36 * values(down).length,
    empty: cells.length === 0 ? "None of these combinations can run." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => `${escapeHtml(values(across)[item.value[0]])}, ${escapeHtml(values(down)[item.value[1]])}<br>${formatMs(item.value[2])}`,
      },
      grid: { left: width < 560 ? 118 : 150, right: 20, top: 28, bottom: 96 },
      xAxis: axisLook(theme, { type: "category", data: values(across), name: across.name, nameLocation: "middle", nameGap: 26 }),
      yAxis: axisLook(theme, {
        type: "category", data: values(down), axisTick: { show: false }, name: down.name, nameLocation: "end",
        axisLabel: { interval: 0, width: width < 560 ? 112 : 140, overflow: "break", lineHeight: 13, ...(width < 560 && { fontSize: 11 }) },
      }),
      visualMap: {
        type: "continuous", min: least, max: most > least ? most : least + 1, orient: "horizontal",
        left: "center", bottom: 0, inRange: { color: theme.scale }, textStyle: { color: theme.quiet },
        text: [most, least].map((ms) => formatMs(Number(ms.toPrecision(3)))),
      },
      series: [{
        id: "heat", type: "heatmap", animation: false, itemStyle: { borderColor: theme.ground, borderWidth: 1 },
        data: cells.map((row) => ({
          value: [values(across).indexOf(fieldText(across.field, row[across.field])), values(down).indexOf(fieldText(down.field, row[down.field])), row.total_ms],
          label: { color: inkOn(theme, (row.total_ms - least) / Math.max(1e-12, most - least)) },
        })),
        label: { show: true, fontSize: 11, textBorderWidth: 0, formatter: (item) => trimmed(Number(item.value[2].toPrecision(3))) },
      }],
    }),
    table: sweepTable(section),
  };
}

/** Fewer keys are always faster: ranks are among the rows of the most keys. */
function rankedRows(section) {
  const runs = section.rows.filter((row) => row.total_ms !== null);
  const size = Math.max(0, ...runs.map((row) => row.num_keys ?? 0));
  return runs.filter((row) => (row.num_keys ?? 0) === size).sort((a, b) => a.total_ms - b.total_ms);
}

function sweepRanking(section) {
  const ranked = rankedRows(section);
  const shown = ranked.slice(0, 30);
  const others = section.rows.some((row) => row.num_keys !== shown[0]?.num_keys);
  const name = (row) => rowName(section, row, ["num_keys"]);
  const notes = [
    others && shown.length > 0 ? `Of ${formatCount(shown[0].num_keys)} keys, the most; the numbers below have the others.` : "",
    shown.some((row) => row.equivalent_sets > 1) ? "A set of GPUs stands for all that are equal to the simulator." : "",
    ranked.length > shown.length ? `The first ${shown.length} of ${ranked.length}.` : "",
  ];
  return {
    id: "ranking",
    title: "The fastest first",
    note: notes.filter((text) => text).join(" "),
    height: 80 + 26 * Math.max(1, shown.length),
    empty: shown.length === 0 ? "None of the combinations can run." : "",
    option: (theme, width) => {
      const narrow = width < 560;
      return {
        ...baseOption(theme),
        tooltip: {
          ...baseOption(theme).tooltip,
          formatter: (item) => {
            const row = shown[item.dataIndex];
            return `${escapeHtml(name(row))}<br>${escapeHtml(item.seriesName)} ${formatMs(item.value)} of ${totalText(row)}` +
              (row.equivalent_sets > 1 ? `<br>stands for ${formatCount(row.equivalent_sets)} sets` : "");
          },
        },
        legend: legendLook(theme),
        grid: { left: narrow ? 142 : 330, right: narrow ? 62 : 150, top: 30, bottom: 40 },
        xAxis: axisLook(theme, { type: "value", min: 0, name: "ms", nameLocation: "middle", nameGap: 22, splitNumber: stepsIn(width - (narrow ? 204 : 480)) }),
        yAxis: axisLook(theme, {
          type: "category", inverse: true, data: shown.map((row, index) => `${index + 1}. ${name(row)}`), axisTick: { show: false },
          axisLabel: { width: narrow ? 132 : 320, overflow: narrow ? "break" : "truncate", hideOverlap: false, interval: 0, ...(narrow && { fontSize: 10, lineHeight: 11 }) },
        }),
        series: [
          { id: "swap", name: "key swap", type: "bar", stack: "time", animation: false, color: phaseColor("key swap"), data: shown.map((row) => row.key_swap_ms) },
          {
            id: "rest", name: "everything else", type: "bar", stack: "time", animation: false, color: okabeIto[0],
            data: shown.map((row) => row.total_ms - row.key_swap_ms),
            label: {
              show: true, position: "right", color: theme.ink, fontSize: 11,
              formatter: (item) => (narrow ? formatMs(Number(shown[item.dataIndex].total_ms.toPrecision(4))) : totalText(shown[item.dataIndex])),
            },
          },
        ],
      };
    },
    table: sweepTable(section),
  };
}

/** One row has no rank; lines need a number along them, and a map two things that vary. */
function sweepCharts(section) {
  const axis = numericAxis(section);
  const ranking = rankedRows(section).length > 1 || !axis ? [sweepRanking(section)] : [];
  return [...ranking, ...(axis ? [sweepLines(section, axis)] : []), ...(section.varied.length > 1 ? [sweepHeat(section)] : [])];
}
