#pragma once

/// \file For tests: what a command prints for people, made anew from what it prints with --json.
/// Each function is the one place that says which field stands in which column. Words and line
/// breaks count, the number of spaces does not (`lines_of_words`).

#include "tools/testing/told_json.hpp"

#include <string>

namespace keyswap::tools::testing {

/// "100,000 u32 keys, zipf(1), seed 1". \param config of any command that takes keys
[[nodiscard]] std::string input_words(ToldJson const& config);

/// "0-2,5" of 0, 1, 2 and 5.
[[nodiscard]] std::string gpus_words(ToldJson const& gpus);

/// "NUMA node 0" of "node:0".
[[nodiscard]] std::string place_words(std::string const& place);

/// "plan", without the bars of a terminal. \param all as --all
[[nodiscard]] std::string plan_words(ToldJson const& told, bool all);
/// "sort" by the reference or a CPU, without the time that it took.
[[nodiscard]] std::string sort_words(ToldJson const& told);
[[nodiscard]] std::string verify_words(ToldJson const& told);
[[nodiscard]] std::string check_words(ToldJson const& told);
/// "record" without the line of times and the names of files that it keeps.
[[nodiscard]] std::string record_words(ToldJson const& told);

[[nodiscard]] std::string multisplit_words(ToldJson const& told);
[[nodiscard]] std::string histogram_words(ToldJson const& told);
[[nodiscard]] std::string sssp_words(ToldJson const& told, bool all);

[[nodiscard]] std::string simulate_words(ToldJson const& told);
/// "simulate --device".
[[nodiscard]] std::string device_words(ToldJson const& told);
/// "whatif" without the part of each GPU's memory that is used, and what is found at the end.
[[nodiscard]] std::string whatif_words(ToldJson const& told);
/// "whatif --partition".
[[nodiscard]] std::string partition_words(ToldJson const& told);
/// "validate" of measured runs.
[[nodiscard]] std::string validate_words(ToldJson const& told);
/// "validate" of rates.
[[nodiscard]] std::string rates_words(ToldJson const& told);
/// Rows of "bench --backend cpu".
[[nodiscard]] std::string cpu_bench_words(ToldJson const& told);
[[nodiscard]] std::string topology_list_words(ToldJson const& told);

} // namespace keyswap::tools::testing
