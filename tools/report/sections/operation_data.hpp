#pragma once

/// \file Section of a recorded multisplit, histogram, external sort or shortest-paths
/// search.

#include "model/verify/recorded_run.hpp"
#include "tools/report/verification.hpp"
#include "tools/text/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// A recorded operation, restricted to valid records.
struct OperationView {
    std::string title;              ///< "Trace run.trace"
    Verification verification;      ///< result of the comparison with the model
    model::verify::RecordedRun run; ///< without records impossible under its header
};

/// \param file for the title
/// \pre the run is not an in-memory sort
[[nodiscard]] OperationView operation_view_of(model::verify::RecordedRun const& run,
                                              std::string const& file,
                                              model::verify::VerifyLimits const& limits);

/// Buckets of a function, or ranges of an external sort, with their counts.
struct CountedBuckets {
    std::string rule;                  ///< "hash:3", "splitters", "key ranges" ...
    std::vector<std::string> ranges;   ///< [m] each bucket's name
    std::vector<std::uint64_t> keys;   ///< [m] over all GPUs
    std::vector<std::uint64_t> starts; ///< [m] first output index
};

/// Buckets of the first recorded function that has counts, or the undivided ranges; empty for a
/// shortest-paths search.
[[nodiscard]] CountedBuckets counted_buckets(model::verify::RecordedRun const& run);

/// Input of the page's script (DATA.md).
[[nodiscard]] Json operation_data(OperationView const& view);

} // namespace keyswap::tools
