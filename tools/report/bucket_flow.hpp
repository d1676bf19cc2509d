#pragma once

#include "tools/report/run_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Buckets of the first pass between where their keys are and where they go: each spanning one by
/// itself, the placed ones of each GPU together.
struct BucketFlow {
    struct Group {
        std::string label;
        bool spanning = false;
        std::uint64_t keys = 0;
        std::uint64_t buckets = 0;
        friend bool operator==(Group const&, Group const&) = default;
    };
    std::vector<Group> groups;                    ///< in sorted order
    std::vector<std::vector<std::uint64_t>> from; ///< [groups][g] keys on each source; empty if
                                                  ///< the run has no histograms of the first pass
    std::vector<std::vector<std::uint64_t>> to;   ///< [groups][g] keys for each destination
};

[[nodiscard]] BucketFlow bucket_flow_of(RunView const& view);

} // namespace keyswap::tools
