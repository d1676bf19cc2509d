#include "model/keys/key_order.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/partition/bucket_rule_text.hpp"
#include "tools/fuzz/fuzzing.hpp"
#include "traces/errors/input_limits.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace {

using namespace keyswap;
using namespace keyswap::fuzzing;

/// Checks that the buckets of some keys exist, and ascend with the keys if the function has edges.
void check_buckets(model::ParsedFunction const& given, int bits) {
    model::BucketEvaluator const evaluator(given.function, bits, given.labels);
    bool const labels = std::holds_alternative<LabelBuckets>(given.function.rule);
    auto const edges = model::lower_edges(given.function, bits);
    require(!edges || std::ranges::is_sorted(*edges), "edges ascend");
    std::uint32_t last = 0;
    for (int bit = 0; bit < bits; ++bit) {
        if (labels && static_cast<std::size_t>(bit) >= given.labels.size()) {
            return;
        }
        model::uint128 const image = model::largest_image_of_bits(bit + 1);
        std::uint32_t const bucket = evaluator.bucket_of(image, static_cast<std::uint64_t>(bit));
        require(bucket < given.function.buckets, "every key has a bucket");
        require(!edges || bucket >= last, "buckets ascend with the keys");
        last = bucket;
    }
}

/// Splitters survive a round trip through a raw key file.
template <class Key>
void check_splitters(MemoryFolder const& folder, model::ParsedFunction const& given, KeyType type) {
    auto const& rule = std::get<SplitterBuckets>(given.function.rule);
    std::string bytes;
    for (KeyImage const& splitter : rule.splitters) {
        using Image = decltype(model::image_of(Key{}));
        Key const key = model::key_of<Key>(static_cast<Image>(model::wide(splitter)));
        bytes.append(reinterpret_cast<char const*>(&key), sizeof(key));
    }
    auto const again = model::read_ascending_keys(folder.put("again.raw", bytes), type, "splitter");
    require(again.has_value() && *again == rule.splitters, "splitters are read again as written");
}

} // namespace

/// First byte: key type; second: bucket count; third: file format and key count;
/// then the rule up to the first line end; the rest is the file named by the
/// rule.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static MemoryFolder const folder;
    constexpr std::array types{
        KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};
    if (size < 3) {
        return 0;
    }
    require(set_limit(Limit::memory, 1 << 26).has_value(), "a limit can be lowered");
    KeyType const type = types[data[0] % types.size()];
    auto const buckets = data[1] == '0' ? std::nullopt : std::optional<std::uint32_t>(data[1]);
    constexpr std::array names{"a.csv", "a.raw", "a.npy"};
    std::size_t const form = data[2] % names.size();
    std::uint64_t const key_count = data[2] / names.size();
    std::string const text = text_of(data + 3, size - 3);
    auto const end = std::min(text.find('\n'), text.size());
    std::string rule = text.substr(0, end);
    if (rule == "splitters" || rule == "labels") {
        auto const path =
            folder.put(names[form], std::string_view(text).substr(std::min(end + 1, text.size())));
        rule += ':' + path.string();
    } else if (rule.find("splitters") != std::string::npos ||
               rule.find("labels") != std::string::npos) {
        return 0; // would name files outside the folder
    }
    auto const given = model::parse_bucket_rule(rule, type, buckets, key_count);
    if (!given) {
        require_message(given.error(), text);
        return 0;
    }
    int const bits = key_bits(type);
    require(model::validated(given->function, bits).has_value(), "what was read is valid");
    require(!buckets || given->function.buckets == *buckets, "as many buckets as asked for");
    check_buckets(*given, bits);
    if (std::holds_alternative<SplitterBuckets>(given->function.rule)) {
        model::with_key_type(type,
                             [&]<class Key>(Key) { check_splitters<Key>(folder, *given, type); });
    }
    return 0;
}
