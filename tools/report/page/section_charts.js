// Which charts a section of each kind has.

function simulationCharts(section) {
  return [phasesChart(section), bottleneckChart(section), topologyChart(section), ratesChart(section), swapOrderChart(section),
    taskTimeline(section)];
}

function profileCharts(section) {
  return [taskTimeline(section), busyChart(section), namesChart(section), copiesMatrix(section), swapOrderChart(section)];
}

/** All charts of a section, in the order of the page. */
function chartsOf(section) {
  switch (section.kind) {
    case "run": return runCharts(section);
    case "simulation": return simulationCharts(section);
    case "profile": return profileCharts(section);
    case "comparison": return [comparisonChart(section)];
    case "validation": return validationCharts(section);
    case "rates": return ratesCharts(section);
    case "operation": return operationCharts(section);
    case "foreign": return failureCharts(section);
    case "sweep": return sweepCharts(section);
    default: return [];
  }
}
