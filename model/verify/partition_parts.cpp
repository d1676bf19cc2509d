#include "model/verify/partition_parts.hpp"

#include "model/verify/verify_parts.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::conformance {

void PartitionFindings::add(Verdict verdict,
                            Check check,
                            std::string where,
                            std::string expected,
                            std::string recorded,
                            std::string consequence,
                            std::optional<GpuId> gpu,
                            std::optional<std::uint64_t> bucket) {
    Difference difference{verdict,
                          check,
                          std::nullopt,
                          std::nullopt,
                          gpu,
                          std::move(expected),
                          std::move(recorded),
                          std::move(consequence)};
    if (bucket) {
        difference.bucket = BucketPrefix{1, *bucket};
    }
    difference.where = std::move(where);
    add_difference(report_, std::move(difference));
}

void PartitionFindings::incomplete(Check check,
                                   std::string where,
                                   std::string expected,
                                   std::optional<GpuId> gpu) {
    add(Verdict::incomplete_trace,
        check,
        std::move(where),
        std::move(expected),
        "none",
        "Nothing is known of this part of the run.",
        gpu);
}

void PartitionFindings::not_checked(Check check, std::string reason) {
    bool const said = std::ranges::any_of(report_.unchecked, [&](Unchecked const& unchecked) {
        return unchecked.check == check && unchecked.reason == reason;
    });
    if (!said) {
        report_.unchecked.push_back({check, std::move(reason)});
    }
}

InputError beyond_memory(std::string const& what) {
    return {what,
            "take more memory than --memory-limit allows",
            "raise --memory-limit, or compare the records alone with --records-only"};
}

} // namespace keyswap::conformance
