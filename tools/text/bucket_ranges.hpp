#pragma once

#include "traces/records/bucket_function.hpp"
#include "traces/records/sort_shape.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// Buckets of a function as people read them: "above 10 to 30" between splitters, "0 to 4095" of
/// ranges, "prime", "digit 0x1f", or "hash 5" and "label 5" if only the number distinguishes
/// them. \pre the function is valid for the keys \return [m]
[[nodiscard]] std::vector<std::string> bucket_ranges(BucketFunction const& function,
                                                     SortShape const& keys);

} // namespace keyswap::tools
