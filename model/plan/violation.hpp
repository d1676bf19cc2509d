#pragma once

#include "traces/records/bucket_prefix.hpp"

#include <optional>
#include <string>

namespace keyswap::model {

/// A violated property and its first occurrence. The seed is in the run header.
struct Violation {
    std::string property;               ///< "histogram", "copies", "sorted" ...
    std::string detail;                 ///< a sentence with the expected and the actual value
    std::optional<int> pass;            ///< partitioning pass; nullopt if not specific to one
    std::optional<BucketPrefix> bucket; ///< nullopt if not specific to one
    std::optional<GpuId> gpu;           ///< nullopt if not specific to one
};

/// "histogram: GPU 3, pass 2, bucket 2:0x1f: detail".
[[nodiscard]] std::string describe(Violation const& violation);

} // namespace keyswap::model
