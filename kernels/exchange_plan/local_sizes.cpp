#include "kernels/exchange_plan/local_sizes.hpp"

#include "kernels/primitives/leading_bits.hpp"
#include "kernels/primitives/leaves/leaf_sizes.hpp"

namespace keyswap::kernels {

namespace {

bool is_stable(LocalSpec const& spec) {
    return has_digits(spec.rule) && spec.ties == Stability::stable;
}

} // namespace

LocalSizes local_sizes(LocalSpec const& spec, LocalTiles const& tiles) {
    bool const is_published = spec.rule == LocalRule::splitters_published;
    bool const by_digits = has_digits(spec.rule);
    bool const has_several = spec.gpu_count > 1;
    std::uint64_t const leaf =
        is_published
            ? quicksort_leaf_sizes.back()
            : limited(leaf_sizes(spec.shape.key_bytes, spec.shape.value_bytes), spec.leaf_max)
                  .back();
    LocalSizes sizes;
    sizes.rule = spec.rule;
    sizes.large = spec.capacity / leaf + 1;
    sizes.segments = by_digits ? std::clamp<std::uint64_t>(sizes.large,
                                                           has_several ? local_segments_least : 1,
                                                           digit_segments_max)
                               : std::clamp(sizes.large, local_segments_least, launch_segments_max);
    if (!is_published && has_several) {
        // Each part may end in a partial tile, whose labels take a full tile's space.
        sizes.arrived = by_digits ? sizes.segments * spec.gpu_count
                                  : std::max<std::size_t>(local_segments_least, spec.gpu_count);
    }
    if (by_digits && can_be_counted(spec.shape)) {
        sizes.stretches = std::min(spec.capacity / narrow_stretch_keys + 1, launch_stretches_max);
    }
    if (by_digits && !has_several &&
        counts_leading_bits(spec.capacity, spec.shape.key_bytes, spec.leading_bytes_min)) {
        sizes.leading = leading_words(spec.shape.key_bytes);
    }
    std::uint32_t const tile = is_stable(spec) ? std::min(tiles.label, tiles.stable) : tiles.label;
    sizes.tiles = spec.capacity / tile + std::max({sizes.segments, sizes.large, sizes.arrived});
    if (is_published) {
        sizes.direct_tiles = spec.capacity / direct_tile_keys + sizes.segments;
    }
    return sizes;
}

SortScratch local_bytes(LocalSpec const& spec, LocalSizes const& sizes, LocalTiles const& tiles) {
    constexpr std::size_t word = sizeof(std::uint32_t);
    std::size_t const child_bytes = (has_digits(spec.rule) ? 2 * word : 0) +
                                    2 * sizeof(std::uint64_t) + sizeof(std::uint8_t) +
                                    (leaf_classes + 1) * word;
    std::size_t const tree_bytes =
        has_splitters(spec.rule) ? tree_words * static_cast<std::size_t>(spec.shape.key_bytes) : 0;
    std::size_t const label_bytes = has_splitters(spec.rule) ? tiles.label : 0;
    return {is_stable(spec) ? (sizes.tiles << wide_step_bits) * word : 0,
            sizes.parts() * part_bytes + std::max(sizes.tiles, sizes.direct_tiles) * tile_bytes +
                sizes.tiles * label_bytes + sizes.segments * (split_segment_bytes + tree_bytes) +
                (sizes.stretches * (stretch_values + 1) + sizes.leading) * word +
                (has_digits(spec.rule) ? sizes.segments : 0) + sizes.children() * child_bytes};
}

} // namespace keyswap::kernels
