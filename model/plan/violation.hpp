#pragma once

#include "traces/records/bucket_prefix.hpp"

#include <optional>
#include <string>

namespace keyswap::model {

/// A property that does not hold, and where it first failed. The seed stands in the run header.
struct Violation {
    std::string property;               ///< "histogram", "copies", "sorted" ...
    std::string detail;                 ///< a sentence with the expected and the found figure
    std::optional<int> pass;            ///< partitioning pass, where one is concerned
    std::optional<BucketPrefix> bucket; ///< where one is concerned
    std::optional<GpuId> gpu;           ///< where one is concerned
};

/// "histogram: GPU 3, pass 2, bucket 2:0x1f: detail".
[[nodiscard]] std::string describe(Violation const& violation);

} // namespace keyswap::model
