#include "model/verify/partition_parts.hpp"

namespace keyswap::model::verify {

std::optional<BucketPrefix> step_bucket(std::optional<std::uint64_t> bucket) {
    return bucket ? std::optional(BucketPrefix{1, *bucket}) : std::nullopt;
}

InputError memory_limit_error(std::string const& what) {
    return {what,
            "take more memory than --memory-limit allows",
            "raise --memory-limit, or compare only the records with --records-only"};
}

} // namespace keyswap::model::verify
