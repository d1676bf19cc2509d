#pragma once

/// \file A report's content in formats that open elsewhere.

#include "tools/report/report_request.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace keyswap::tools {

/// Chrome trace events of every simulation, profile and trace with times, each as a group of
/// processes of its own ("rmg-paper predicted: GPU 0", "Trace run.trace: GPU 0"), so that one file
/// shows prediction and measurement below each other. Times are microseconds.
/// Source of the format: "Trace Event Format", Google, 2016.
[[nodiscard]] nlohmann::json chrome_trace(ReportContent const& content);

/// Bytes from each GPU (line) to each GPU (column), separated by spaces: what the matrix input of
/// alltoallv benchmarks takes.
[[nodiscard]] std::string matrix_text(RunView const& view);
/// The same of a profile's copies; its GPUs stand in the order of their numbers.
[[nodiscard]] std::string matrix_text(Profile const& profile);

/// Tables by file name, units in the headers: matrix.csv, gpus.csv, buckets.csv and times.csv of a
/// sort, bins.csv or rounds.csv of what is not a sort, phases.csv and links.csv of a simulation,
/// profile.csv of a profile. Those of the second run or simulation and on are called matrix-2.csv
/// and so on.
[[nodiscard]] std::map<std::string, std::string> csv_tables(ReportContent const& content);

} // namespace keyswap::tools
