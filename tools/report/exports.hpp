#pragma once

/// \file Exports a report's content to formats of other programs.

#include "tools/report/report_request.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace keyswap::tools {

/// Chrome trace events of every simulation, profile and timed trace, each as its own group of
/// processes ("rmg-paper predicted: GPU 0", "Trace run.trace: GPU 0"), so that one file shows
/// prediction and measurement below each other. Times are in microseconds.
/// Source of the format: "Trace Event Format", Google, 2016.
[[nodiscard]] nlohmann::json chrome_trace(ReportContent const& content);

/// Bytes from each GPU (row) to each GPU (column), separated by spaces: matrix input of alltoallv
/// benchmarks.
[[nodiscard]] std::string matrix_text(RunView const& view);
/// Bytes copied between GPUs in a profile, with GPUs by ascending device number.
[[nodiscard]] std::string matrix_text(Profile const& profile);

/// Tables by file name, with units in the headers: matrix.csv, gpus.csv, buckets.csv and times.csv
/// of a sort, bins.csv or rounds.csv of another operation, phases.csv and links.csv of a
/// simulation, profile.csv of a profile. Later runs and simulations get suffixes: matrix-2.csv
/// etc.
[[nodiscard]] std::map<std::string, std::string> csv_tables(ReportContent const& content);

} // namespace keyswap::tools
