#include "tools/text/bucket_ranges.hpp"

#include "model/partition/bucket_space.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/number_text.hpp"

#include <bit>

namespace keyswap::tools {

namespace {

/// Ranges between splitters, named by the comparisons rather than by the first and last key.
std::vector<std::string> between_splitters(SplitterBuckets const& rule, SortShape const& keys) {
    std::string const low = rule.tie == Tie::left ? "above " : "from ";
    std::vector<std::string> names;
    std::string begin;
    for (std::size_t i = 0; i < rule.splitters.size(); ++i) {
        std::string const splitter = key_name(keys, rule.splitters[i]);
        bool const own_bucket = rule.equality[i];
        std::string const end =
            rule.tie == Tie::left && !own_bucket ? "up to " + splitter : "below " + splitter;
        names.push_back(begin.empty() ? end : begin + " " + end);
        if (own_bucket) {
            names.push_back(splitter);
        }
        begin = low + splitter;
    }
    names.push_back(begin.empty() ? "all keys" : begin);
    return names;
}

} // namespace

std::vector<std::string> bucket_ranges(BucketFunction const& function, SortShape const& keys) {
    if (auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule)) {
        return between_splitters(*splitters, keys);
    }
    if (std::holds_alternative<PrimeBuckets>(function.rule)) {
        return {"prime", "not prime"};
    }
    model::BucketSpace space(key_bits(keys.key_type), std::bit_width(function.buckets));
    auto const* const digit = std::get_if<DigitBuckets>(&function.rule);
    bool const ascending = digit == nullptr && space.divide({}, function);
    std::string const number =
        std::holds_alternative<LabelBuckets>(function.rule) ? "label " : "bucket ";
    std::vector<std::string> names;
    for (std::uint32_t bucket = 0; bucket < function.buckets; ++bucket) {
        BucketPrefix const prefix{1, bucket};
        if (digit != nullptr) {
            names.push_back(formatted("digit 0x%0*x", (digit->bits + 3) / 4, bucket));
        } else if (ascending) {
            names.push_back(space.images_of(prefix) ? bucket_name(space, keys, prefix) : "no key");
        } else {
            names.push_back(number + std::to_string(bucket));
        }
    }
    return names;
}

} // namespace keyswap::tools
