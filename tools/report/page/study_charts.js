// Charts of studies: predictions validated against measurements, tables of rates, and what-if sweeps.

/** "sort and copy back" of "partition pass 2" is "partition": passes of one kind share a colour. */
function phaseKind(phase) {
  return phase.startsWith("partition") ? "partition" : phase;
}

function totalOf(row) {
  const total = row.phases.find(([phase]) => phase === "total");
  return total ? { measured: total[1], predicted: total[2], error: total[2] / total[1] - 1 } : null;
}

function accuracyChart(section) {
  const rows = section.rows.filter((row) => totalOf(row));
  const points = rows.map((row) => [totalOf(row).measured, totalOf(row).predicted]);
  const all = points.flat().filter((ms) => ms > 0);
  const low = Math.min(...all) / 1.5;
  const high = Math.max(...all) * 1.5;
  return {
    id: "accuracy",
    title: "Predicted against measured, whole sorts",
    note: "Each point is a configuration. On the line the prediction is exact; between the dashed lines it is within 10 %.",
    height: 420,
    empty: points.length === 0 ? "The file has no measurements." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const row = rows[item.dataIndex];
          const total = totalOf(row);
          return `${escapeHtml(row.label)}<br>measured ${formatMs(total.measured)}, predicted ${formatMs(total.predicted)} (${formatPercent(total.error)})`;
        },
      },
      grid: { left: 74, right: 24, top: 16, bottom: 52 },
      xAxis: axisLook(theme, { type: "log", min: low, max: high, name: "measured (ms)", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: (ms) => trimmed(ms) } }),
      yAxis: axisLook(theme, { type: "log", min: low, max: high, name: "predicted (ms)", nameLocation: "middle", nameGap: 52, axisLabel: { formatter: (ms) => trimmed(ms) } }),
      series: [
        {
          id: "accuracy", type: "scatter", data: points, symbolSize: 9, animation: false,
          itemStyle: { color: okabeIto[0], opacity: 0.75, borderColor: theme.ground, borderWidth: 1 },
        },
        ...[1, 1.1, 0.9].map((factor, index) => ({
          id: `line${index}`, type: "line", silent: true, showSymbol: false, animation: false,
          lineStyle: { color: theme.quiet, width: 1, type: factor === 1 ? "solid" : "dashed" },
          data: [[low, low * factor], [high, high * factor]],
        })),
      ],
    }),
    table: {
      columns: ["configuration", "runs", "measured (ms)", "predicted (ms)", "error (share)", "passes measured", "passes predicted"],
      rows: () => rows.map((row) => [row.label, row.runs, totalOf(row).measured, totalOf(row).predicted, totalOf(row).error,
        row.passes_measured, row.passes_predicted]),
    },
  };
}

/** Rows that differ in their GPUs only, of the group that has the most of them (the most keys of those). */
function largestFamily(rows) {
  const families = new Map();
  for (const row of rows) {
    const name = [row.algorithm, row.key_type, row.distribution, row.parameter, row.keys].join("\n");
    families.set(name, (families.get(name) ?? []).concat(row));
  }
  return [...families.values()].sort((a, b) => b.length - a.length || b[0].keys - a[0].keys)[0] ?? [];
}

function gpusText(gpus) {
  return gpus.length === 0 ? "CPU" : `GPU${gpus.length === 1 ? "" : "s"} ${gpus.join(",")}`;
}

function stacksChart(section) {
  const rows = largestFamily(section.rows.filter((row) => row.gpus.length > 0))
    .slice().sort((a, b) => a.gpus.length - b.gpus.length).slice(0, 24);
  const kinds = ["host to device", "partition", "key swap", "sort and copy back"];
  const msOf = (row, kind, column) => sum(row.phases.filter(([phase]) => phaseKind(phase) === kind).map((phase) => phase[column]));
  const bars = rows.flatMap((row) => [[row, 1, "measured"], [row, 2, "predicted"]]);
  const what = rows.length > 0 ? `${formatShort(rows[0].keys)} ${rows[0].key_type} keys, ${rows[0].distribution}` : "";
  return {
    id: "stacks",
    title: "Phases, measured and predicted, by GPUs",
    note: `${what}: each pair of bars is one set of GPUs; the upper bar was measured, the lower, paler one is predicted. Figures are totals, and the error of the predicted one.`,
    height: 96 + 46 * Math.max(1, rows.length),
    empty: rows.length === 0 ? "No configuration ran on GPUs." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [row, , side] = bars[item.dataIndex];
          return `${gpusText(row.gpus)}, ${side}<br>${escapeHtml(item.seriesName)}: ${formatMs(item.value)}`;
        },
      },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 132 : 190, right: 100, top: 34, bottom: 44 },
      xAxis: axisLook(theme, { type: "value", name: "ms, slowest GPU of each phase", nameLocation: "middle", nameGap: 24 }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, axisTick: { show: false }, axisLabel: { interval: 0, hideOverlap: false },
        data: bars.map(([row, , side]) => `${side === "measured" ? `${gpusText(row.gpus)}  ` : ""}${side}`),
      }),
      series: kinds.map((kind, index) => ({
        id: kind, name: kind, type: "bar", stack: "phases", animation: false, color: phaseColor(kind), barCategoryGap: "18%",
        data: bars.map(([row, column, side]) => ({ value: msOf(row, kind, column), itemStyle: { color: side === "measured" ? phaseColor(kind) : `${phaseColor(kind)}a0` } })),
        label: {
          show: index === kinds.length - 1, position: "right", color: theme.ink, fontSize: 11,
          formatter: (item) => {
            const [row, , side] = bars[item.dataIndex];
            const total = totalOf(row);
            return side === "measured" ? formatMs(Number(total.measured.toPrecision(3)))
              : `${formatMs(Number(total.predicted.toPrecision(3)))} (${total.error >= 0 ? "+" : ""}${formatPercent(total.error)})`;
          },
        },
      })),
    }),
    table: {
      columns: ["GPUs", "phase", "measured (ms)", "predicted (ms)", "error (share)"],
      rows: () => rows.flatMap((row) => row.phases.map(([phase, measured, predicted]) => [gpusText(row.gpus), phase, measured, predicted,
        predicted / measured - 1])),
    },
  };
}

function errorsChart(section) {
  const kinds = section.summary.filter((row) => row[1] > 0);
  return {
    id: "errors",
    title: "Errors by phase",
    note: "Absolute relative errors over all configurations: half of them are below the first bar, 19 of 20 below the second.",
    height: 110 + 62 * Math.max(1, kinds.length),
    empty: kinds.length === 0 ? "Nothing was measured to last 1 ms or longer." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: { ...baseOption(theme).tooltip, formatter: (item) => `${escapeHtml(kinds[item.dataIndex][0])}: ${item.seriesName} ${trimmed(item.value)} %` },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 132 : 160, right: 56, top: 34, bottom: 44 },
      xAxis: axisLook(theme, { type: "value", name: "error (%)", nameLocation: "middle", nameGap: 24 }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: kinds.map((row) => row[0]), axisTick: { show: false } }),
      series: [["median", 2], ["95th of 100", 3], ["worst", 4]].map(([name, column], index) => ({
        id: name, name, type: "bar", animation: false, color: okabeIto[index], data: kinds.map((row) => 100 * row[column]),
        label: { show: true, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => trimmed(Number(item.value.toPrecision(2))) },
      })),
    }),
    table: {
      columns: ["phase", "configurations", "median (share)", "95th of 100 (share)", "worst (share)"],
      rows: () => section.summary,
    },
  };
}

function validationCharts(section) {
  return [accuracyChart(section), stacksChart(section), errorsChart(section)];
}

const rateUses = [["fitted", "fitted"], ["held-out", "held out"], ["suspect", "suspect"]];

/** Searches for paths have a chart of their own: their rounds are those of stand-ins, and errors of 90 % would flatten all others. */
function ratesAccuracyChart(section, of) {
  const rows = section.rows.filter((row) => row.predicted !== null && row.unit === "ms" && (row.operation === "sssp") === (of === "searches"));
  const errorOf = (row) => 100 * (row.predicted / row.published - 1);
  const powers = rows.map((row) => Math.log10(row.published));
  const [low, high] = [10 ** Math.floor(Math.min(...powers)), 10 ** Math.ceil(Math.max(...powers))];
  return {
    id: of === "searches" ? "rates-searches" : "rates-accuracy",
    title: of === "searches" ? "Errors of the predicted times, searches for paths" : "Errors of the predicted times, every cell",
    note: "Each point is a cell of a published table: on the line the prediction is exact, above it too slow. Between the dashed lines it is within 10 %. Constants of the devices were fitted to the cells marked so, and never saw the others.",
    height: 440,
    empty: rows.length === 0 ? "No row can be predicted." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const row = item.data.row;
          return `${escapeHtml(row.table)}<br>${escapeHtml(row.label)}<br>published ${formatMs(row.published)}, predicted ${formatMs(row.predicted)} (${formatPercent(row.predicted / row.published - 1)})${row.note ? `<br>${escapeHtml(row.note)}` : ""}`;
        },
      },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 60 : 74, right: 24, top: 40, bottom: 52 },
      xAxis: axisLook(theme, { type: "log", min: low, max: high, name: "published (ms)", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: (ms) => trimmed(ms) } }),
      yAxis: axisLook(theme, { type: "value", name: "predicted, beside published (%)", nameLocation: "middle", nameGap: width < 560 ? 40 : 48, axisLabel: { formatter: (error) => `${error > 0 ? "+" : ""}${trimmed(error)}` } }),
      series: [
        ...rateUses.map(([use, name], index) => ({
          id: use, name, type: "scatter", symbolSize: 7, animation: false, color: okabeIto[index],
          symbol: ["circle", "rect", "triangle"][index],
          itemStyle: { opacity: 0.75, borderColor: theme.ground, borderWidth: 1 },
          data: rows.filter((row) => row.use === use).map((row) => ({ value: [row.published, errorOf(row)], row })),
        })),
        ...[0, 10, -10].map((error, index) => ({
          id: `line${index}`, type: "line", silent: true, showSymbol: false, animation: false,
          lineStyle: { color: theme.quiet, width: 1, type: error === 0 ? "solid" : "dashed" },
          data: [[low, error], [high, error]],
        })),
      ],
    }),
    table: {
      columns: ["table", "cell", "use", "unit", "published", "predicted", "error (share)", "from", "note"],
      count: section.rows.length,
      rows: () => section.rows.map((row) => [row.table, row.label, row.use, row.unit, row.published, row.predicted ?? "",
        row.predicted === null ? "" : row.predicted / row.published - 1, row.from, row.note]),
    },
  };
}

function ratesErrorsChart(section) {
  const tables = section.tables.filter((row) => row.fitted[0] + row.held_out[0] > 0);
  const bars = [["fitted", "fitted, median", 1, 0], ["held_out", "held out, median", 1, 1], ["held_out", "held out, 95th of 100", 2, 2]];
  return {
    id: "rates-errors",
    title: "Errors by table",
    note: "Absolute relative errors of all cells of a table. Suspect cells are left out; the table below has them.",
    height: 120 + 58 * Math.max(1, tables.length),
    empty: tables.length === 0 ? "No row can be predicted." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: { ...baseOption(theme).tooltip, formatter: (item) => `${escapeHtml(tables[item.dataIndex].table)}<br>${item.seriesName}: ${trimmed(item.value)} %` },
      legend: { ...legendLook(theme), type: "plain" },
      grid: { left: width < 560 ? 126 : 220, right: 56, top: width < 560 ? 60 : 34, bottom: 44 },
      xAxis: axisLook(theme, { type: "value", name: "error (%)", nameLocation: "middle", nameGap: 24 }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, axisTick: { show: false },
        axisLabel: { interval: 0, hideOverlap: false, width: width < 560 ? 112 : 206, overflow: "break", lineHeight: 14 },
        data: tables.map((row) => row.table),
      }),
      series: bars.map(([field, name, column, color]) => ({
        id: name, name, type: "bar", animation: false, color: okabeIto[color],
        data: tables.map((row) => (row[field][0] > 0 ? 100 * row[field][column] : null)),
        label: { show: true, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => trimmed(Number(item.value.toPrecision(2))) },
      })),
    }),
    table: {
      columns: ["table", "use", "cells", "median (share)", "95th of 100 (share)", "worst (share)", "cells without a law"],
      rows: () => section.tables.flatMap((row) => rateUses.map(([use, name]) => [row.table, name, ...row[use.replace("-", "_")], row.without_law])),
    },
  };
}

function ratesCharts(section) {
  const searches = section.rows.some((row) => row.operation === "sssp") ? [ratesAccuracyChart(section, "searches")] : [];
  return [ratesAccuracyChart(section, "others"), ...searches, ratesErrorsChart(section)];
}

const numericFields = ["num_keys", "parameter", "digit_bits", "tolerance_ppm", "fuse_ppm"];

function fieldText(field, value) {
  if (value === null || value === undefined) {
    return field === "link" ? "as it is" : "standard";
  }
  return typeof value === "number" && field === "num_keys" ? formatShort(value) : String(value);
}

/** What distinguishes a row from the others, except for some fields. */
function rowName(section, row, without = []) {
  const words = section.varied.filter((axis) => !without.includes(axis.field))
    .map((axis) => (["algorithm", "distribution", "key_type", "link", "input_on", "platform"].includes(axis.field) ? fieldText(axis.field, row[axis.field])
      : `${axis.name.toLowerCase()} ${fieldText(axis.field, row[axis.field])}`));
  if (section.gpus_vary) {
    words.push(`GPUs ${row.gpus}`);
  }
  return words.join(", ") || "all";
}

function sweepTable(section) {
  return {
    columns: ["algorithm", "keys", "key type", "distribution", "parameter", "digit bits", "tolerance (ppm)", "fuse (ppm)", "link change", "GPUs",
      "sets like it", "passes", "key swap (ms)", "total (ms)", "keys/s", "speed-up", "memory of a GPU (B)", "cannot run because"],
    count: section.rows.length,
    rows: () => section.rows.map((row) => [row.algorithm, row.num_keys, row.key_type, row.distribution, row.parameter ?? "", row.digit_bits,
      row.tolerance_ppm, row.fuse_ppm, row.link ?? "", row.gpus, row.equivalent_sets, row.passes ?? "", row.key_swap_ms ?? "", row.total_ms ?? "", row.keys_per_s ?? "",
      row.speed_up ?? "", row.device_bytes ?? "", row.error ?? ""]),
  };
}

function sweepLines(section) {
  const axis = section.varied.find((field) => numericFields.includes(field.field));
  const runs = section.rows.filter((row) => row.total_ms !== null && (!axis || row[axis.field] !== null));
  const series = new Map();
  for (const row of axis ? runs : []) {
    const name = rowName(section, row, [axis.field]);
    series.set(name, (series.get(name) ?? []).concat([[row[axis.field], row.total_ms]]));
  }
  const names = [...series.keys()].slice(0, 16);
  return {
    id: "lines",
    title: axis ? `Time by ${axis.name.toLowerCase()}` : "Time",
    note: series.size > names.length ? `${names.length} of ${series.size} series; the table has all.` : "",
    height: 400,
    empty: series.size === 0 ? "No number was varied, so there are no lines." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: { ...baseOption(theme).tooltip, formatter: (item) => `${escapeHtml(item.seriesName)}<br>${formatShort(item.value[0])}: ${formatMs(item.value[1])}` },
      legend: legendLook(theme),
      grid: { left: 70, right: 24, top: 40, bottom: 48 },
      xAxis: axisLook(theme, {
        type: axis.field === "num_keys" && Math.min(...runs.map((row) => row.num_keys)) > 0 ? "log" : "value", scale: true, name: axis.name, nameLocation: "middle", nameGap: 26,
        axisLabel: { formatter: (value) => formatShort(value) },
      }),
      yAxis: axisLook(theme, {
        ...(axis.field === "num_keys" ? { type: "log", scale: true } : { type: "value", min: 0 }), name: "total (ms)", nameLocation: "middle", nameGap: 50,
        axisLabel: { formatter: (ms) => formatShort(ms) },
      }),
      series: names.map((name, index) => ({
        id: name, name, type: "line", animation: false, color: okabeIto[index % okabeIto.length], symbolSize: 8,
        symbol: ["circle", "rect", "triangle", "diamond"][index % 4], lineStyle: { width: 2, type: ["solid", "dashed", "dotted"][Math.floor(index / 8) % 3] },
        data: series.get(name).sort((a, b) => a[0] - b[0]),
      })),
    }),
    table: sweepTable(section),
  };
}

function sweepHeat(section) {
  const [across, down] = section.varied;
  const others = section.varied.slice(2);
  const first = section.rows[0];
  const cells = down ? section.rows.filter((row) => row.total_ms !== null && row.gpus === first.gpus &&
    others.every((axis) => row[axis.field] === first[axis.field])) : [];
  const [least, most] = [Math.min(...cells.map((row) => row.total_ms)), Math.max(...cells.map((row) => row.total_ms))];
  const values = (axis) => [...new Set(section.rows.map((row) => fieldText(axis.field, row[axis.field])))];
  const fixed = others.map((axis) => `${axis.name.toLowerCase()} ${fieldText(axis.field, first[axis.field])}`).concat(section.gpus_vary ? [`GPUs ${first.gpus}`] : []);
  return {
    id: "heat",
    title: down ? `Time by ${across.name.toLowerCase()} and ${down.name.toLowerCase()}` : "Time by two axes",
    note: fixed.length > 0 ? `With ${fixed.join(", ")}.` : "",
    height: 150 + 36 * (down ? values(down).length : 1),
    empty: cells.length === 0 ? "Fewer than two fields were varied, so there is no map." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => `${escapeHtml(values(across)[item.value[0]])}, ${escapeHtml(values(down)[item.value[1]])}<br>${formatMs(item.value[2])}`,
      },
      grid: { left: width < 560 ? 90 : 130, right: 20, top: 28, bottom: 96 },
      xAxis: axisLook(theme, { type: "category", data: values(across), name: across.name, nameLocation: "middle", nameGap: 26 }),
      yAxis: axisLook(theme, { type: "category", data: values(down), axisTick: { show: false }, name: down.name, nameLocation: "end" }),
      visualMap: {
        type: "continuous", min: least, max: most, orient: "horizontal",
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

function sweepRanking(section) {
  // Fewer keys are always faster: ranks are among the rows of the most keys.
  const runs = section.rows.filter((row) => row.total_ms !== null);
  const size = Math.max(0, ...runs.map((row) => row.num_keys ?? 0));
  const ranked = runs.filter((row) => (row.num_keys ?? 0) === size).sort((a, b) => a.total_ms - b.total_ms);
  const shown = ranked.slice(0, 30);
  return {
    id: "ranking",
    title: section.gpus_vary ? "GPU sets, the fastest first" : "Combinations, the fastest first",
    note: (ranked.length < runs.length ? `Of ${formatCount(size)} keys, the most; the table has the others. ` : "") + (section.gpus_vary ? "A set stands for all that no simulation can tell from it. " : "") +
      (ranked.length > shown.length ? `The first ${shown.length} of ${ranked.length}; the table has all.` : ""),
    height: 80 + 24 * Math.max(1, shown.length),
    empty: shown.length === 0 ? "None of the combinations can run." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const row = shown[item.dataIndex];
          return `${escapeHtml(rowName(section, row))}<br>${escapeHtml(item.seriesName)} ${formatMs(item.value)}` +
            (row.equivalent_sets > 1 ? `<br>stands for ${formatCount(row.equivalent_sets)} sets` : "");
        },
      },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 150 : 330, right: 66, top: 30, bottom: 40 },
      xAxis: axisLook(theme, { type: "value", min: 0, name: "ms", nameLocation: "middle", nameGap: 22 }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, data: shown.map((row, index) => `${index + 1}. ${rowName(section, row)}`), axisTick: { show: false },
        axisLabel: { width: width < 560 ? 140 : 320, overflow: "truncate", hideOverlap: false, interval: 0 },
      }),
      series: [
        { id: "swap", name: "key swap", type: "bar", stack: "time", animation: false, color: phaseColor("key swap"), data: shown.map((row) => row.key_swap_ms) },
        {
          id: "rest", name: "everything else", type: "bar", stack: "time", animation: false, color: okabeIto[0],
          data: shown.map((row) => row.total_ms - row.key_swap_ms),
          label: { show: true, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => formatMs(Number(shown[item.dataIndex].total_ms.toPrecision(4))) },
        },
      ],
    }),
    table: sweepTable(section),
  };
}

function sweepCharts(section) {
  return [sweepRanking(section), sweepLines(section), sweepHeat(section)];
}
