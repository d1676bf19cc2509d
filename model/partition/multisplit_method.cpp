#include "model/partition/multisplit_method.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/partition/methods/method_positions.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>

namespace keyswap::model {

namespace {

namespace steps = multisplit_steps;

constexpr std::string_view paper = "Ashkiani et al., GPU Multisplit, TOPC 2017";

constexpr std::array methods{
    MultisplitMethod{"fused",
                     "histogram, then one pass of tiles that look back for their places",
                     "after Adinets and Merrill, Onesweep, 2022",
                     bucket_count_max,
                     Stability::stable,
                     steps::no_table,
                     steps::fused},
    MultisplitMethod{"direct",
                     "histograms of windows, one scan, keys written where they belong",
                     paper,
                     32,
                     Stability::stable,
                     steps::one_window,
                     steps::direct},
    MultisplitMethod{"warp",
                     "as direct, a warp's tile reordered by bucket before it is written",
                     paper,
                     32,
                     Stability::stable,
                     steps::one_warp,
                     steps::by_warp_tiles},
    MultisplitMethod{"block",
                     "as direct, a block's tile reordered by bucket before it is written",
                     paper,
                     256,
                     Stability::stable,
                     steps::one_block,
                     steps::by_block_tiles},
    MultisplitMethod{"reduced-bit",
                     "labels written out and sorted with the keys on ceil(log2 m) bits",
                     paper,
                     65'536,
                     Stability::stable,
                     steps::no_table,
                     steps::by_reduced_bit_sort},
    MultisplitMethod{"scan-split",
                     "flags, one scan, compaction from both sides",
                     paper,
                     2,
                     Stability::stable,
                     steps::no_table,
                     steps::by_scan_split},
    MultisplitMethod{"recursive-split",
                     "ceil(log2 m) scan splits by the bits of the label",
                     paper,
                     bucket_count_max,
                     Stability::stable,
                     steps::no_table,
                     steps::by_recursive_split},
    MultisplitMethod{"bit-split",
                     "a block's tile sorted by a stable split for each bit of the label",
                     "Satish et al., Intel report, 2010",
                     4096,
                     Stability::stable,
                     steps::one_intel_tile,
                     steps::by_bit_splits},
    MultisplitMethod{"iterative-split",
                     "m rounds that take one bucket out each",
                     paper,
                     4096,
                     Stability::stable,
                     steps::no_table,
                     steps::by_iterative_split},
    MultisplitMethod{"split1",
                     "one pass for two buckets: a vote a window, both counts in one word",
                     "Keyswap",
                     2,
                     Stability::stable,
                     steps::no_table,
                     steps::split_in_one_pass},
    MultisplitMethod{"atomic",
                     "tiles take room in the order of their arrival",
                     "Ilic, Tolovski, Rabl, RMG sort, BTW 2023, section 4.2",
                     512,
                     Stability::unstable,
                     steps::no_table,
                     steps::atomic}};

} // namespace

std::span<MultisplitMethod const> multisplit_methods() {
    return methods;
}

Expected<MultisplitMethod const*> find_multisplit_method(std::string_view name) {
    auto const* const found = std::ranges::find(methods, name, &MultisplitMethod::name);
    if (found != methods.end()) {
        return found;
    }
    return input_error("method " + std::string(name),
                       "is not known",
                       KnownNames(methods, &MultisplitMethod::name).remedy(name, "known: all, "));
}

bool takes(MultisplitMethod const& method, std::uint32_t buckets) {
    return buckets <= method.buckets_most;
}

Expected<void> check_buckets(MultisplitMethod const& method, std::uint32_t buckets) {
    if (takes(method, buckets)) {
        return {};
    }
    auto others = std::views::filter(
        methods, [buckets](MultisplitMethod const& other) { return takes(other, buckets); });
    return input_error("method " + std::string(method.name),
                       "takes at most " + std::to_string(method.buckets_most) + " buckets, not " +
                           std::to_string(buckets),
                       "these take them: " + joined_text(others, ", ", &MultisplitMethod::name));
}

} // namespace keyswap::model
