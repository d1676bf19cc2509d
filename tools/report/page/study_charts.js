// Charts of studies: predictions validated against measurements, and tables of rates.

/** "sort and copy back" of "partition pass 2" is "partition": passes of one kind share a colour. */
function phaseKind(phase) {
  return phase.startsWith("partition") ? "partition" : phase;
}

function totalOf(row) {
  const total = row.phases.find(([phase]) => phase === "total");
  return total ? { measured: total[1], predicted: total[2], error: total[2] / total[1] - 1 } : null;
}

/**
 * How far predictions are off, by what they should be: points of one or several kinds. Powers of ten bound the axis.
 * \param groups [{ id, name, symbol, points: [{ truth, error (%), text }] }]
 */
function errorsOption(theme, width, groups, truthName) {
  const points = groups.flatMap((group) => group.points);
  const powers = points.filter(({ truth }) => truth > 0).map(({ truth }) => Math.log10(truth));
  const [low, high] = [10 ** Math.floor(Math.min(...powers)), 10 ** Math.ceil(Math.max(...powers))];
  const errors = points.map(({ error }) => error);
  return {
    ...baseOption(theme),
    tooltip: { ...baseOption(theme).tooltip, formatter: (item) => item.data.text },
    grid: { left: width < 560 ? 60 : 74, right: 24, top: groups.length > 1 ? 40 : 16, bottom: 52 },
    xAxis: axisLook(theme, { type: "log", min: low, max: high, name: truthName, nameLocation: "middle", nameGap: 30, axisLabel: { margin: belowCorner, formatter: (ms) => formatPlain(ms) } }),
    yAxis: axisLook(theme, {
      type: "value", name: "error of the prediction (%)", nameLocation: "middle", nameGap: width < 560 ? 40 : 48,
      ...roundLimits(Math.min(-10, ...errors), Math.max(10, ...errors), 7), axisLabel: { formatter: (error) => `${error > 0 ? "+" : ""}${trimmed(error)}` },
    }),
    series: [
      ...groups.map(({ id, name, symbol, points: own }, index) => ({
        id, name, type: "scatter", symbolSize: 7, animation: false, color: okabeIto[theme.name === "dark" && index === 0 ? 4 : index], symbol, z: 3,
        itemStyle: { opacity: 0.75, borderColor: theme.ground, borderWidth: 1 },
        data: own.map(({ truth, error, text }) => ({ value: [truth, error], text })),
      })),
      ...[0, 10, -10].map((error, index) => ({
        id: `line${index}`, type: "line", silent: true, showSymbol: false, animation: false, z: 1,
        lineStyle: { color: theme.quiet, width: 1, type: error === 0 ? "solid" : "dashed" },
        data: [[low, error], [high, error]],
      })),
    ],
  };
}

function accuracyChart(section) {
  const rows = section.rows.filter((row) => totalOf(row));
  const points = rows.map((row) => {
    const { measured, predicted, error } = totalOf(row);
    return { truth: measured, error: 100 * error, text: `${escapeHtml(row.label)}<br>measured ${formatMs(measured)}, predicted ${formatMs(predicted)} (${signedPercent(error)})` };
  });
  return {
    id: "accuracy",
    title: "Errors of predicted totals",
    note: "Each point is a configuration; above 0 the prediction is too slow, dashed is 10 % off.",
    height: 380,
    empty: points.length === 0 ? "The file has no measurements." : "",
    option: (theme, width) => errorsOption(theme, width, [{ id: "accuracy", name: "", symbol: "circle", points }], "measured (ms)"),
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
  const what = rows.length > 0 ? `${formatCount(rows[0].keys)} ${rows[0].key_type} keys, ${rows[0].distribution}` : "";
  return {
    id: "stacks",
    title: "Phases, measured and predicted, by GPUs",
    note: `${what}: the upper bar of each pair was measured, the lower, fainter one is predicted. Figures are totals, with the error of the predicted one.`,
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
      xAxis: axisLook(theme, { type: "value", name: "ms, slowest GPU of each phase", nameLocation: "middle", nameGap: 24, splitNumber: stepsIn(width - (width < 560 ? 232 : 290)) }),
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
              : `${formatMs(Number(total.predicted.toPrecision(3)))} (${signedPercent(total.error)})`;
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
    note: "Half of all configurations are off by less than the first bar, 19 of 20 by less than the second.",
    height: 110 + 62 * Math.max(1, kinds.length),
    empty: kinds.length === 0 ? "No phase took 1 ms or longer." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: { ...baseOption(theme).tooltip, formatter: (item) => `${escapeHtml(kinds[item.dataIndex][0])}: ${item.seriesName} ${trimmed(item.value)} %` },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 132 : 160, right: 56, top: 34, bottom: 44 },
      xAxis: axisLook(theme, { type: "value", name: "error (%)", nameLocation: "middle", nameGap: 24 }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: kinds.map((row) => row[0]), axisTick: { show: false } }),
      series: [["median", 2], ["95th percentile", 3], ["worst", 4]].map(([name, column], index) => ({
        id: name, name, type: "bar", animation: false, color: okabeIto[index], data: kinds.map((row) => 100 * row[column]),
        label: { show: true, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => trimmed(Number(item.value.toPrecision(2))) },
      })),
    }),
    table: {
      columns: ["phase", "configurations", "median (share)", "95th percentile (share)", "worst (share)"],
      rows: () => section.summary,
    },
  };
}

function validationCharts(section) {
  return [accuracyChart(section), stacksChart(section), errorsChart(section)];
}

const rateUses = [["fitted", "fitted"], ["held-out", "held out"], ["suspect", "suspect"]];

/** Searches for paths have a chart of their own: errors of 90 % would flatten all others. */
function ratesAccuracyChart(section, of) {
  const rows = section.rows.filter((row) => row.predicted !== null && row.unit === "ms" && (row.operation === "sssp") === (of === "searches"));
  const pointOf = (row) => ({
    truth: row.published, error: 100 * (row.predicted / row.published - 1),
    text: `${escapeHtml(row.table)}<br>${escapeHtml(row.label)}<br>published ${formatMs(row.published)}, predicted ${formatMs(row.predicted)} ` +
      `(${signedPercent(row.predicted / row.published - 1)})${row.note ? `<br>${escapeHtml(row.note)}` : ""}`,
  });
  const groups = rateUses.map(([use, name], index) => ({ id: use, name, symbol: ["circle", "rect", "triangle"][index], points: rows.filter((row) => row.use === use).map(pointOf) }));
  return {
    id: of === "searches" ? "rates-searches" : "rates-accuracy",
    title: of === "searches" ? "Errors of predicted times, shortest paths" : "Errors of predicted times",
    note: "Each point is a cell of a published table; above 0 the prediction is too slow, dashed is 10 % off. Constants of the devices were fitted to the cells marked so, and never saw the others.",
    height: 440,
    empty: rows.length === 0 ? "No row can be predicted." : "",
    option: (theme, width) => ({ ...errorsOption(theme, width, groups, "published (ms)"), legend: legendLook(theme) }),
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
  const bars = [["fitted", "fitted, median", 1, 0], ["held_out", "held out, median", 1, 1], ["held_out", "held out, 95th percentile", 2, 2]];
  return {
    id: "rates-errors",
    title: "Errors by table",
    note: "How far the cells of each table are off, without suspect ones, which the numbers below have.",
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
      columns: ["table", "use", "cells", "median (share)", "95th percentile (share)", "worst (share)", "cells without a law"],
      rows: () => section.tables.flatMap((row) => rateUses.map(([use, name]) => [row.table, name, ...row[use.replace("-", "_")], row.without_law])),
    },
  };
}

function ratesCharts(section) {
  const searches = section.rows.some((row) => row.operation === "sssp") ? [ratesAccuracyChart(section, "searches")] : [];
  return [ratesAccuracyChart(section, "others"), ...searches, ratesErrorsChart(section)];
}
