#include "proptests/live/live_split.hpp"

#include "model/keys/wide_integer.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/partition/label_column.hpp"
#include "proptests/live/split_mix.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/trace_line.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <tuple>

namespace keyswap::proptests {

namespace {

/// Log-uniform: small numbers are as likely as large ones.
std::uint64_t of_up_to(int bits, SplitMix64& draws) {
    std::uint64_t const word = draws.next();
    return word >> (64 - bits) >> draws.below(static_cast<std::uint64_t>(bits));
}

std::uint64_t largest_image(int key_bits) {
    return ~std::uint64_t{0} >> (64 - key_bits);
}

/// Bucket counts around the limits of methods and the widths of warps and tables.
std::uint32_t draw_buckets(SplitMix64& draws) {
    constexpr std::uint32_t edges[] = {1,  2,  2,   3,   5,   8,   10,  16,  31,  32,
                                       33, 64, 100, 255, 256, 257, 300, 512, 513, 4096};
    return draws.below(3) == 0 ? 1 + static_cast<std::uint32_t>(draws.below(300))
                               : edges[draws.below(std::size(edges))];
}

BucketFunction draw_delta(std::uint32_t buckets, int key_bits, SplitMix64& draws) {
    BucketFunction function = model::delta_function(key_bits, buckets);
    auto& rule = std::get<DeltaBuckets>(function.rule);
    switch (draws.below(5)) {
    case 0:
        rule.width = {0, 1 + of_up_to(key_bits, draws) / 2};
        break;
    case 1:
        rule.width = {0, 1 + draws.below(8)};
        break;
    case 2:
        if (buckets > 2 && rule.width.low > 3) {
            rule.width.low -= 1 + draws.below(2);
        }
        break;
    default:
        break;
    }
    if (draws.below(2) == 0) {
        rule.origin = {0, of_up_to(key_bits, draws)};
    }
    return function;
}

BucketFunction draw_splitters(std::uint32_t buckets,
                              int key_bits,
                              std::vector<std::uint64_t> const& images,
                              SplitMix64& draws) {
    std::vector<std::uint64_t> values;
    for (std::uint32_t i = 1; i < buckets; ++i) {
        std::uint64_t const of_keys = images.empty() ? 0 : images[draws.below(images.size())];
        std::uint64_t const any = draws.below(8) == 0 ? draws.below(2) * largest_image(key_bits)
                                                      : draws.next() & largest_image(key_bits);
        values.push_back(draws.below(2) == 0 ? of_keys : any);
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    SplitterBuckets rule;
    rule.tie = draws.below(2) == 0 ? Tie::left : Tie::right;
    for (std::uint64_t const value : values) {
        rule.splitters.push_back({0, value});
        rule.equality.push_back(rule.tie == Tie::left && draws.below(4) == 0);
    }
    return model::splitter_function(std::move(rule));
}

/// What simpler_splits() reduces, most important first.
auto complexity(LiveSplit const& split) {
    BucketRule const& rule = split.function.rule;
    auto const* const delta = std::get_if<DeltaBuckets>(&rule);
    auto const* const splitters = std::get_if<SplitterBuckets>(&rule);
    int const kind = std::holds_alternative<DigitBuckets>(rule)  ? 0
                     : delta != nullptr                          ? 1
                     : std::holds_alternative<HashBuckets>(rule) ? 2
                     : splitters != nullptr                      ? 3
                                                                 : 4;
    return std::tuple(split.slice_count,
                      kind,
                      split.function.buckets,
                      splitters == nullptr ? 0 : std::ranges::count(splitters->equality, true),
                      splitters != nullptr && splitters->tie == Tie::right,
                      delta == nullptr ? std::uint64_t{0} : delta->origin.low);
}

/// The same rule with fewer buckets.
void add_fewer_buckets(LiveSplit const& split, std::vector<LiveSplit>& candidates) {
    auto const add = [&](BucketFunction function) {
        candidates.push_back(split);
        candidates.back().function = std::move(function);
    };
    std::uint32_t const buckets = split.function.buckets;
    if (auto const* const digit = std::get_if<DigitBuckets>(&split.function.rule)) {
        for (int bits = 1; bits < digit->bits; ++bits) {
            add(model::digit_function(digit->shift, bits));
            add(model::digit_function(digit->shift + digit->bits - bits, bits));
        }
    } else if (auto const* const splitters = std::get_if<SplitterBuckets>(&split.function.rule)) {
        std::size_t const count = splitters->splitters.size();
        for (std::size_t size = std::max<std::size_t>(count / 2, 1); size > 0; size /= 2) {
            for (std::size_t begin = 0; begin < std::min<std::size_t>(count, 16 * size);
                 begin += size) {
                SplitterBuckets fewer = *splitters;
                auto const first = static_cast<std::ptrdiff_t>(begin);
                auto const last = static_cast<std::ptrdiff_t>(std::min(begin + size, count));
                fewer.splitters.erase(fewer.splitters.begin() + first,
                                      fewer.splitters.begin() + last);
                fewer.equality.erase(fewer.equality.begin() + first, fewer.equality.begin() + last);
                add(model::splitter_function(std::move(fewer)));
            }
        }
        SplitterBuckets plain = *splitters;
        plain.equality.assign(count, false);
        add(model::splitter_function(plain));
        plain.tie = Tie::left;
        add(model::splitter_function(std::move(plain)));
    } else if (!std::holds_alternative<PrimeBuckets>(split.function.rule)) {
        for (std::uint32_t const fewer : {1U, 2U, buckets / 2, buckets - 1}) {
            if (fewer >= 1) {
                add({fewer, split.function.rule});
            }
        }
    }
}

/// Alternative rules with the same number of buckets.
void add_simpler_rules(LiveSplit const& split, int key_bits, std::vector<LiveSplit>& candidates) {
    LiveSplit candidate = split;
    std::uint32_t const buckets = split.function.buckets;
    for (int const bits : {1, 5, static_cast<int>(std::bit_width(buckets - 1))}) {
        if (bits >= 1 && (1U << bits) <= std::max(buckets, 2U)) {
            candidate.function = model::digit_function(key_bits - bits, bits);
            candidates.push_back(candidate);
            candidate.function = model::digit_function(0, bits);
            candidates.push_back(candidate);
        }
    }
    candidate.function = model::delta_function(key_bits, buckets);
    candidates.push_back(candidate);
    candidate.function = {buckets, DeltaBuckets{{}, {0, 1}}};
    candidates.push_back(candidate);
    if (auto const* const delta = std::get_if<DeltaBuckets>(&split.function.rule)) {
        candidate.function = {buckets, DeltaBuckets{{}, delta->width}};
        candidates.push_back(candidate);
    }
}

} // namespace

std::vector<std::uint32_t> label_column(LiveSplit const& split, std::size_t count) {
    std::vector<std::uint32_t> labels(count);
    for (std::size_t i = 0; i < count; ++i) {
        labels[i] = static_cast<std::uint32_t>(mix_bits(i) % split.function.buckets);
    }
    return labels;
}

BucketFunction recorded_function(LiveSplit const& split, std::size_t count) {
    BucketFunction function = split.function;
    if (auto* const rule = std::get_if<LabelBuckets>(&function.rule)) {
        rule->labels = model::label_digest(label_column(split, count));
    }
    return function;
}

LiveSplit draw_split(int key_bits, std::vector<std::uint64_t> const& images, std::uint64_t seed) {
    SplitMix64 draws(seed);
    std::uint32_t const buckets = draw_buckets(draws);
    LiveSplit split;
    split.slice_count = draws.below(4) == 0 ? 16 * (1 + draws.below(512)) : 0;
    switch (draws.below(8)) {
    case 0:
    case 1: {
        int const bits = std::max(1, static_cast<int>(std::bit_width(buckets - 1)));
        split.function = model::digit_function(
            static_cast<int>(draws.below(static_cast<std::uint64_t>(key_bits - bits) + 1)), bits);
        break;
    }
    case 2:
    case 3:
        split.function = draw_delta(buckets, key_bits, draws);
        break;
    case 4:
        split.function = {buckets, HashBuckets{draws.next()}};
        break;
    case 5:
        split.function = {buckets, LabelBuckets{}};
        break;
    case 6:
        if (key_bits == 32) { // for 64-bit keys, trial division would take seconds
            split.function = {2, PrimeBuckets{}};
            break;
        }
        [[fallthrough]];
    default:
        split.function = draw_splitters(buckets, key_bits, images, draws);
        break;
    }
    return split;
}

void move_to_edges(LiveSplit const& split,
                   int key_bits,
                   std::uint64_t seed,
                   std::vector<std::uint64_t>& images) {
    auto const edges = model::lower_edges(split.function, key_bits);
    if (!edges || edges->empty()) {
        return;
    }
    SplitMix64 draws(seed);
    for (std::uint64_t& image : images) {
        if (draws.below(2) == 0) {
            auto const edge = static_cast<std::uint64_t>((*edges)[draws.below(edges->size())]);
            image = (edge + draws.below(3) - 1) & largest_image(key_bits);
        }
    }
}

std::vector<LiveSplit> simpler_splits(LiveSplit const& split, int key_bits) {
    std::vector<LiveSplit> candidates;
    candidates.push_back(split);
    candidates.back().slice_count = 0;
    add_simpler_rules(split, key_bits, candidates);
    add_fewer_buckets(split, candidates);
    std::erase_if(candidates, [&](LiveSplit const& candidate) {
        return !(complexity(candidate) < complexity(split)) ||
               !model::validated(candidate.function, key_bits);
    });
    return candidates;
}

BucketFunction upper_half(BucketFunction const& function) {
    BucketFunction half = function;
    if (auto* const digit = std::get_if<DigitBuckets>(&half.rule)) {
        digit->shift = std::clamp(digit->shift - 32, 0, 32 - std::min(digit->bits, 32));
    } else if (auto* const delta = std::get_if<DeltaBuckets>(&half.rule)) {
        delta->origin.low >>= 32;
        delta->width.low = std::max<std::uint64_t>(delta->width.low >> 32, 1);
    } else if (auto const* const splitters = std::get_if<SplitterBuckets>(&half.rule)) {
        SplitterBuckets rule;
        rule.tie = splitters->tie;
        for (std::size_t i = 0; i < splitters->splitters.size(); ++i) {
            KeyImage const image{0, splitters->splitters[i].low >> 32};
            if (rule.splitters.empty() || rule.splitters.back() < image) {
                rule.splitters.push_back(image);
                rule.equality.push_back(splitters->equality[i]);
            }
        }
        half = model::splitter_function(std::move(rule));
    }
    return half;
}

nlohmann::ordered_json to_json(LiveSplit const& split) {
    std::string line = encode_line(TraceRecord{BucketFunctionRecord{0, {}, split.function}}, 2);
    line.pop_back(); // the line break
    return {{"function", line}, {"method", split.method}, {"slice_count", split.slice_count}};
}

Expected<LiveSplit> parse_live_split(nlohmann::json const& json) {
    KEYSWAP_TRY(auto const line, decode_line(json.at("function").get<std::string>(), 2));
    auto const* const record = std::get_if<TraceRecord>(&line);
    auto const* const function =
        record == nullptr ? nullptr : std::get_if<BucketFunctionRecord>(record);
    if (function == nullptr) {
        return input_error("function", "is another record", "save the case again");
    }
    return LiveSplit{function->function,
                     json.at("method").get<std::string>(),
                     json.at("slice_count").get<std::uint64_t>()};
}

} // namespace keyswap::proptests
