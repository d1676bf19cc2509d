#pragma once

/// \file What nccl-tests print: a table of text, or with -J a JSON document.

#include "simulator/study/collective.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// One size, out of place, or in place where nothing else was measured.
struct CollectiveRun {
    std::uint64_t size_bytes = 0;
    double time_us = 0.0;
    double bus_GBps = 0.0;
};

struct NcclTests {
    std::optional<simulator::CollectiveKind> kind; ///< where the output names it
    std::uint32_t ranks = 0;                       ///< 0 where it lists none
    std::vector<CollectiveRun> runs;               ///< sizes of 0 bytes are left out
};

/// Whether text is of such a program, whatever is wrong with it.
[[nodiscard]] bool looks_like_nccl_tests(std::string_view text);

/// \param file for messages
/// \return an error naming the line where there are no sizes, no times or an operation that is not
///         predicted
[[nodiscard]] Expected<NcclTests> parse_nccl_tests(std::string const& text,
                                                   std::string const& file);

} // namespace keyswap::tools
