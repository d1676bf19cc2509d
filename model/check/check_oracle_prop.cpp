/// \file Compares the file checks with a brute-force oracle in memory: order, lost and gained keys
/// with their positions, buckets, and values.

#include "model/check/multisplit_check.hpp"
#include "model/check/output_check.hpp"
#include "model/check/shown_key.hpp"
#include "model/check/value_check.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::model {
namespace {

template <class Word>
constexpr int bits_of = 8 * sizeof(Word);

/// In total order: -0.0 before +0.0, NaNs at both ends.
template <class Word>
Word image_of(KeyType type, Word key) {
    Word const sign = Word{1} << (bits_of<Word> - 1);
    switch (type) {
    case KeyType::f32:
    case KeyType::f64:
        return (key & sign) != 0 ? static_cast<Word>(~key) : static_cast<Word>(key | sign);
    case KeyType::i32:
    case KeyType::i64:
    case KeyType::i128:
        return key ^ sign;
    default:
        return key;
    }
}

template <class Word>
bool is_nan(KeyType type, Word key) {
    if (type != KeyType::f32 && type != KeyType::f64) {
        return false;
    }
    Word const infinity = static_cast<Word>(type == KeyType::f32 ? std::uint64_t{0x7f800000}
                                                                 : std::uint64_t{0x7ff} << 52);
    return static_cast<Word>(key << 1) > static_cast<Word>(infinity << 1);
}

/// Small, large and negative numbers, both zeros, infinities, NaNs.
template <class Word>
std::vector<Word> any_values() {
    Word const sign = Word{1} << (bits_of<Word> - 1);
    Word const infinity = bits_of<Word> == 32
                              ? static_cast<Word>(0x7f800000)
                              : static_cast<Word>(static_cast<Word>(0x7ff) << (bits_of<Word> - 12));
    std::vector<Word> all{0, 1, 2, sign, static_cast<Word>(sign | 1), static_cast<Word>(~sign)};
    all.insert(all.end(),
               {infinity,
                static_cast<Word>(infinity | sign),
                static_cast<Word>(infinity | 1),
                static_cast<Word>(infinity | sign | 5)});
    for (int i = 0; i < 4; ++i) {
        auto const random = *rc::gen::arbitrary<std::uint64_t>();
        Word key = static_cast<Word>(random);
        if constexpr (bits_of < Word >> 64) {
            key |= Word{random * 0x9e3779b97f4a7c15ULL} << 64;
        }
        all.push_back(key);
    }
    std::vector<Word> chosen;
    for (std::size_t left = *rc::gen::inRange<std::size_t>(1, 9); left > 0; --left) {
        chosen.push_back(all[*rc::gen::inRange<std::size_t>(0, all.size())]);
    }
    return chosen;
}

/// Maps keys to ranks for comparison; keys that compare equal have the same rank.
struct Order {
    Direction direction = Direction::ascending;
    ZeroOrder zeros = ZeroOrder::total;
    NanOrder nans = NanOrder::total;

    template <class Word>
    [[nodiscard]] std::pair<int, uint128> rank(KeyType type, Word key) const {
        if (nans != NanOrder::total && is_nan(type, key)) {
            return {nans == NanOrder::first ? -1 : 1, 0};
        }
        uint128 image = image_of(type, key);
        uint128 const minus_zero = static_cast<Word>(~Word{0}) >> 1;
        bool const floats = type == KeyType::f32 || type == KeyType::f64;
        if (floats && zeros == ZeroOrder::equal && image == minus_zero) {
            ++image; // the image of +0.0
        }
        uint128 const largest = static_cast<Word>(~Word{0});
        return {0, direction == Direction::ascending ? image : largest - image};
    }
};

template <class Word>
std::size_t any_place(std::vector<Word> const& keys) {
    return *rc::gen::inRange<std::size_t>(0, keys.size());
}

/// Plants one of the mistakes that sorts make. \pre there are keys
template <class Word>
void make_mistake(std::vector<Word>& keys, std::vector<Word> const& values) {
    auto const at = [&keys](std::size_t place) {
        return keys.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::size_t first = any_place(keys);
    std::size_t last = any_place(keys);
    if (first > last) {
        std::swap(first, last);
    }
    switch (*rc::gen::inRange(0, 9)) {
    case 0:
        std::swap(keys[first], keys[last]);
        return;
    case 1:
        keys[first] = values[any_place(values)];
        return;
    case 2:
        keys.erase(at(first));
        return;
    case 3:
        keys.insert(at(first), keys[last]);
        return;
    case 4:
        keys.erase(at(first), at(last));
        return;
    case 5: {
        std::vector<Word> const stretch(at(first), at(last));
        keys.insert(at(first), stretch.begin(), stretch.end());
        return;
    }
    case 6:
        std::rotate(keys.begin(), at(first), keys.end());
        return;
    case 7:
        std::reverse(keys.begin(), keys.end());
        return;
    default:
        std::fill(at(first), at(last), values[any_place(values)]);
    }
}

template <class Word>
struct Files {
    KeyType type = KeyType::u32;
    Order order;
    std::vector<Word> input;
    std::vector<Word> output;
    std::vector<Word> values; ///< values from which keys are drawn
    std::optional<std::uint32_t> gpus;

    [[nodiscard]] StoredKeys before() const {
        return StoredKeys::view(std::as_bytes(std::span(input)), type);
    }
    [[nodiscard]] StoredKeys after() const {
        return StoredKeys::view(std::as_bytes(std::span(output)), type);
    }
};

template <class Word>
KeyType any_type() {
    if constexpr (bits_of<Word> == 32) {
        return *rc::gen::element(KeyType::u32, KeyType::i32, KeyType::f32);
    } else if constexpr (bits_of<Word> == 64) {
        return *rc::gen::element(KeyType::u64, KeyType::i64, KeyType::f64);
    } else {
        return *rc::gen::element(KeyType::u128, KeyType::i128);
    }
}

template <class Word>
Files<Word> any_files(Order order) {
    Files<Word> files;
    files.type = any_type<Word>();
    files.order = order;
    files.values = any_values<Word>();
    files.input.resize(*rc::gen::inRange<std::size_t>(0, 60));
    std::ranges::generate(files.input, [&] { return files.values[any_place(files.values)]; });
    files.output = files.input;
    std::ranges::stable_sort(
        files.output, {}, [&files](Word key) { return files.order.rank(files.type, key); });
    for (int left = *rc::gen::element(0, 1, 1, 1, 2, 3); left > 0 && !files.output.empty();
         --left) {
        make_mistake(files.output, files.values);
    }
    if (*rc::gen::arbitrary<bool>()) {
        files.gpus = *rc::gen::inRange<std::uint32_t>(1, 9);
    }
    return files;
}

template <class Word>
OutputCheck checked(Files<Word> const& files) {
    OutputCheckOptions options;
    options.direction = files.order.direction;
    options.zero_order = files.order.zeros;
    options.nan_order = files.order.nans;
    options.gpu_count = files.gpus;
    options.thread_count = *rc::gen::element(0U, 1U, 3U);
    auto check = check_keys(files.before(), files.after(), options);
    RC_ASSERT(check.has_value());
    return std::move(*check);
}

std::uint64_t chunk_size(std::uint64_t keys, std::uint32_t gpus) {
    return (keys + gpus - 1) / gpus;
}

template <class Word>
OrderFinding expected_order(Files<Word> const& files) {
    std::vector<Word> const& keys = files.output;
    OrderFinding finding;
    finding.sorted_runs = keys.empty() ? 0 : 1;
    auto const rank = [&files](Word key) { return files.order.rank(files.type, key); };
    bool rises = false;
    for (std::size_t i = 1; i < keys.size(); ++i) {
        rises = rises || rank(keys[i - 1]) < rank(keys[i]);
        if (rank(keys[i - 1]) <= rank(keys[i])) {
            continue;
        }
        ++finding.sorted_runs;
        if (!finding.first_unsorted) {
            finding.first_unsorted = i;
            finding.key_before = shown_key(files.type, keys[i - 1]);
            finding.key_at = shown_key(files.type, keys[i]);
        }
    }
    if (!finding.first_unsorted) {
        return finding;
    }
    bool const goes_round = rank(keys.back()) <= rank(keys.front());
    finding.shape = !rises                                   ? OrderShape::reversed
                    : finding.sorted_runs == 2 && goes_round ? OrderShape::rotated
                                                             : OrderShape::unsorted;
    if (files.gpus) {
        std::uint64_t const size = chunk_size(keys.size(), *files.gpus);
        if (*finding.first_unsorted % size == 0) {
            finding.chunk = static_cast<std::uint32_t>(*finding.first_unsorted / size);
        }
    }
    return finding;
}

struct Counts {
    std::uint64_t in_input = 0;
    std::uint64_t in_output = 0;
};

/// Counts by image, with the key of the image.
template <class Word>
using CountsOf = std::map<Word, std::pair<Word, Counts>>;

template <class Word>
CountsOf<Word> counts_of(Files<Word> const& files) {
    CountsOf<Word> counts;
    for (Word const key : files.input) {
        auto& entry = counts[image_of(files.type, key)];
        entry.first = key;
        ++entry.second.in_input;
    }
    for (Word const key : files.output) {
        auto& entry = counts[image_of(files.type, key)];
        entry.first = key;
        ++entry.second.in_output;
    }
    return counts;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : b - a;
}

/// Expected finding about keys that are missing from or surplus in the output.
template <class Word>
std::optional<ContentFinding> expected_content(Files<Word> const& files, bool lost) {
    CountsOf<Word> const counts = counts_of(files);
    auto const concerns = [lost](auto const& entry) {
        Counts const& of = entry.second.second;
        return lost ? of.in_input > of.in_output : of.in_output > of.in_input;
    };
    auto const lowest = std::find_if(counts.begin(), counts.end(), concerns);
    if (lowest == counts.end()) {
        return std::nullopt;
    }
    auto const highest = std::prev(std::find_if(counts.rbegin(), counts.rend(), concerns).base());
    ContentFinding finding;
    Counts between;
    for (auto at = std::next(lowest); lowest != highest && at != highest; ++at) {
        between.in_input += at->second.second.in_input;
        between.in_output += at->second.second.in_output;
    }
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    for (auto const& [image, entry] : counts) {
        below += image < lowest->first ? entry.second.in_input : 0;
        above += image > highest->first ? entry.second.in_input : 0;
        Counts const& of = entry.second;
        if (concerns(std::pair(image, entry))) {
            finding.key_count += distance(of.in_input, of.in_output);
        }
    }
    bool const ascending = files.order.direction == Direction::ascending;
    finding.from = shown_key(files.type, ascending ? lowest->second.first : highest->second.first);
    finding.to = shown_key(files.type, ascending ? highest->second.first : lowest->second.first);
    finding.sorted_index = ascending ? below : above;
    if (lowest != highest && between.in_input > 0 &&
        between.in_output == (lost ? 0 : 2 * between.in_input)) {
        finding.shape = ContentShape::block;
        finding.key_count =
            distance(between.in_input, between.in_output) +
            distance(lowest->second.second.in_input, lowest->second.second.in_output) +
            distance(highest->second.second.in_input, highest->second.second.in_output);
    }
    if (files.gpus && finding.sorted_index < files.input.size()) {
        finding.gpu = static_cast<std::uint32_t>(finding.sorted_index /
                                                 chunk_size(files.input.size(), *files.gpus));
    }
    return finding;
}

template <class Word>
std::vector<ValueFinding> expected_values(Files<Word> const& files) {
    std::vector<ValueFinding> values;
    for (auto const& [image, entry] : counts_of(files)) {
        if (entry.second.in_input != entry.second.in_output) {
            values.push_back({shown_key(files.type, entry.first),
                              entry.second.in_input,
                              entry.second.in_output});
        }
    }
    if (files.order.direction == Direction::descending) {
        std::ranges::reverse(values);
    }
    values.resize(std::min(values.size(), values_shown_max));
    return values;
}

template <class Word>
void check_contents() {
    Order order;
    order.direction = *rc::gen::element(Direction::ascending, Direction::descending);
    Files<Word> const files = any_files<Word>(order);
    OutputCheck const check = checked(files);
    RC_ASSERT(check.key_type == files.type);
    RC_ASSERT(check.input_count == files.input.size());
    RC_ASSERT(check.output_count == files.output.size());
    RC_ASSERT(check.order == expected_order(files));
    RC_ASSERT(check.lost == expected_content(files, true));
    RC_ASSERT(check.gained == expected_content(files, false));
    RC_ASSERT(check.values == expected_values(files));
    RC_ASSERT(check.permutation() == check.values.empty());
    RC_ASSERT(!check.holds() || !check.guess);
}

TEST(CheckOracle, FindsWhatIsLostAndGainedOfKeysOfEveryWidth) {
    EXPECT_TRUE(rc::check("32 bits", check_contents<std::uint32_t>));
    EXPECT_TRUE(rc::check("64 bits", check_contents<std::uint64_t>));
    EXPECT_TRUE(rc::check("128 bits", check_contents<uint128>));
}

template <class Word>
void check_order() {
    Order order;
    order.direction = *rc::gen::element(Direction::ascending, Direction::descending);
    order.zeros = *rc::gen::element(ZeroOrder::total, ZeroOrder::equal);
    order.nans = *rc::gen::element(NanOrder::total, NanOrder::first, NanOrder::last);
    Files<Word> const files = any_files<Word>(order);
    OutputCheck const check = checked(files);
    RC_ASSERT(check.order == expected_order(files));
    RC_ASSERT(check.sorted() == std::ranges::is_sorted(files.output, {}, [&files](Word key) {
                  return files.order.rank(files.type, key);
              }));
}

TEST(CheckOracle, FindsWhereTheOrderOfNansAndZerosIsBroken) {
    EXPECT_TRUE(rc::check("32 bits", check_order<std::uint32_t>));
    EXPECT_TRUE(rc::check("64 bits", check_order<std::uint64_t>));
}

/// Stable partition of the keys by bucket.
template <class Word>
std::vector<Word>
stable_split(std::vector<Word> const& keys, BucketEvaluator const& evaluator, KeyType type) {
    std::vector<Word> split = keys;
    std::ranges::stable_sort(
        split, {}, [&](Word key) { return evaluator.bucket_of(image_of(type, key), 0); });
    return split;
}

template <class Word>
void check_split() {
    Files<Word> files = any_files<Word>(Order{});
    auto const buckets = *rc::gen::inRange<std::uint32_t>(1, 7);
    ParsedFunction const given{{buckets, HashBuckets{*rc::gen::arbitrary<std::uint64_t>()}}, {}};
    BucketEvaluator const evaluator(given.function, bits_of<Word>, {});
    auto const bucket_of = [&](Word key) {
        return evaluator.bucket_of(image_of(files.type, key), 0);
    };
    files.output = stable_split(files.input, evaluator, files.type);
    for (int left = *rc::gen::element(0, 1, 1, 2); left > 0 && !files.output.empty(); --left) {
        make_mistake(files.output, files.values);
    }
    std::vector<std::uint64_t> counts(buckets);
    for (Word const key : files.input) {
        ++counts[bucket_of(key)];
    }
    std::vector<std::uint64_t> starts(buckets);
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::uint64_t{0});
    MultisplitExpectation promise{given, Stability::stable, starts, {}};
    std::uint64_t read = 0;
    promise.on_keys_read = [&read](std::uint64_t more) { read += more; };
    auto wrong_start = std::optional<StartFinding>();
    if (*rc::gen::arbitrary<bool>()) {
        auto const which = *rc::gen::inRange<std::uint32_t>(0, buckets);
        (*promise.starts)[which] += 3;
        wrong_start = StartFinding{which, starts[which] + 3, starts[which]};
    }
    auto const check = check_multisplit(files.before(), files.after(), promise);
    RC_ASSERT(check.has_value());
    RC_ASSERT(read == files.input.size() + files.output.size());
    RC_ASSERT(check->starts == starts);
    RC_ASSERT(check->wrong_start == wrong_start);
    RC_ASSERT(!check->wrong_start_count);
    auto const values = expected_values(files);
    RC_ASSERT(check->permutation == values.empty());
    RC_ASSERT(check->values == values);
    // The first key in another bucket's range.
    std::optional<PlaceFinding> misplaced;
    for (std::size_t i = 0; i < files.output.size() && !misplaced; ++i) {
        std::uint32_t place = 0;
        while (place + 1 < buckets && i >= starts[place] + counts[place]) {
            ++place;
        }
        if (std::uint32_t const own = bucket_of(files.output[i]); own != place) {
            misplaced = PlaceFinding{i, shown_key(files.type, files.output[i]), own, place};
        }
    }
    RC_ASSERT(check->misplaced == misplaced);
    auto const in_order = stable_split(files.input, evaluator, files.type);
    std::optional<StabilityFinding> unstable;
    if (values.empty() && !misplaced) {
        auto const [found, right] = std::ranges::mismatch(files.output, in_order);
        if (found != files.output.end()) {
            unstable = StabilityFinding{bucket_of(*found),
                                        static_cast<std::uint64_t>(found - files.output.begin()),
                                        shown_key(files.type, *found),
                                        shown_key(files.type, *right)};
        }
    }
    RC_ASSERT(check->unstable == unstable);
    RC_ASSERT(check->holds() == (!wrong_start && files.output == in_order));
}

TEST(CheckOracle, FindsWhatIsWrongWithBucketsAndTheirOrder) {
    EXPECT_TRUE(rc::check("32 bits", check_split<std::uint32_t>));
    EXPECT_TRUE(rc::check("64 bits", check_split<std::uint64_t>));
    EXPECT_TRUE(rc::check("128 bits", check_split<uint128>));
}

/// Values of a sorted output: input indices, possibly with a planted mistake.
template <class Word>
void check_pairs(testing::KeyFolder const& folder) {
    Order order;
    order.direction = *rc::gen::element(Direction::ascending, Direction::descending);
    Files<Word> files = any_files<Word>(order);
    std::vector<std::uint32_t> values(files.input.size());
    std::iota(values.begin(), values.end(), 0U);
    std::ranges::stable_sort(values, {}, [&files](std::uint32_t index) {
        return files.order.rank(files.type, files.input[index]);
    });
    files.output.clear();
    for (std::uint32_t const value : values) {
        files.output.push_back(files.input[value]);
    }
    if (values.size() > 1 && *rc::gen::arbitrary<bool>()) {
        std::size_t const one = any_place(values);
        std::size_t const other = any_place(values);
        if (*rc::gen::arbitrary<bool>()) {
            std::swap(values[one], values[other]);
        } else {
            values[one] = values[other];
        }
    }
    std::optional<std::uint64_t> wrong;
    std::vector<bool> seen(values.size());
    for (std::size_t i = 0; i < values.size() && !wrong; ++i) {
        if (seen[values[i]] || files.input[values[i]] != files.output[i]) {
            wrong = i;
        }
        seen[values[i]] = true;
    }
    std::optional<std::uint64_t> unstable;
    for (std::size_t i = 1; i < values.size() && !wrong && !unstable; ++i) {
        if (files.output[i] == files.output[i - 1] && values[i] < values[i - 1]) {
            unstable = i;
        }
    }
    OutputCheckOptions options;
    options.input.key_type = files.type;
    options.direction = order.direction;
    std::array const inputs{folder.put("in", files.input)};
    std::array const outputs{folder.put("out", files.output)};
    auto const check =
        check_values(inputs, outputs, folder.put("values", values), KeyType::u32, options);
    RC_ASSERT(check.has_value());
    RC_ASSERT(check->value_count == values.size());
    RC_ASSERT(check->first_wrong == wrong);
    RC_ASSERT(check->wrong.empty() == !wrong);
    RC_ASSERT(wrong || check->first_unstable == unstable);
}

TEST(CheckOracle, FindsValuesOfOtherKeysAndPairsOutOfOrder) {
    testing::KeyFolder const folder;
    EXPECT_TRUE(rc::check("32 bits", [&folder] { check_pairs<std::uint32_t>(folder); }));
    EXPECT_TRUE(rc::check("128 bits", [&folder] { check_pairs<uint128>(folder); }));
}

} // namespace
} // namespace keyswap::model
