#pragma once

/// \file Parser for the output of nccl-tests: a text table, or with -J a JSON document.

#include "simulator/prediction/collective.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Times of one size, out of place; in place only if nothing else was measured.
struct CollectiveRun {
    std::uint64_t size_bytes = 0;
    double time_us = 0.0;
    double bus_GBps = 0.0;
};

struct NcclTests {
    std::optional<simulator::CollectiveKind> kind; ///< nullopt if the output lacks it
    std::uint32_t ranks = 0;                       ///< 0 if the output lists none
    std::vector<std::uint32_t> gpus;               ///< [rank], if all are of one host; else empty
    std::set<std::string> gpu_names;               ///< as a table lists them
    std::vector<CollectiveRun> runs;               ///< without sizes of 0 bytes
};

/// True if a text is output of nccl-tests, valid or not.
[[nodiscard]] bool looks_like_nccl_tests(std::string_view text);

/// \param file name for messages
/// \return an error that names the line if there are no sizes or no times, or if the operation
/// cannot be predicted
[[nodiscard]] Expected<NcclTests> parse_nccl_tests(std::string const& text,
                                                   std::string const& file);

} // namespace keyswap::tools
