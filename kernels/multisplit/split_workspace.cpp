#include "kernels/multisplit/split_workspace.hpp"

#include "kernels/device/stream.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Keys per column of the method's table; 0 if it has none.
std::uint32_t tile_keys_of(MultisplitMethod method) {
    switch (method) {
    case MultisplitMethod::direct:
    case MultisplitMethod::warp:
    case MultisplitMethod::block:
        return paper_tile_keys(method);
    case MultisplitMethod::bit_split:
        return bit_split_tile_keys();
    default:
        return 0;
    }
}

bool counts_first(MultisplitMethod method) {
    return method == MultisplitMethod::fused || method == MultisplitMethod::atomic ||
           method == MultisplitMethod::split1;
}

/// Keys per slice: look-back words of `fused` hold 30 bits.
std::uint64_t keys_of_slice(SplitNeeds const& needs, std::uint64_t count) {
    return needs.method == MultisplitMethod::fused ? needs.slice_count
                                                   : std::max<std::uint64_t>(count, 1);
}

std::uint64_t slices_of(SplitNeeds const& needs, std::uint64_t count) {
    std::uint64_t const keys = keys_of_slice(needs, count);
    return std::max<std::uint64_t>(1, (count + keys - 1) / keys);
}

std::size_t scratch_bytes(SplitNeeds const& needs) {
    switch (needs.method) {
    case MultisplitMethod::direct:
    case MultisplitMethod::warp:
    case MultisplitMethod::block:
        return paper_scratch_bytes(needs.method, needs.count_max, needs.buckets_max);
    case MultisplitMethod::reduced_bit:
        return reduced_bit_scratch_bytes(needs.shape, needs.count_max);
    case MultisplitMethod::scan_split:
    case MultisplitMethod::recursive_split:
        return scan_split_scratch_bytes(needs.count_max);
    case MultisplitMethod::bit_split:
        return bit_split_scratch_bytes(needs.count_max, needs.buckets_max);
    case MultisplitMethod::fused:
        return fused_scratch_bytes(needs.shape, std::min(needs.count_max, needs.slice_count));
    case MultisplitMethod::split1:
        return two_way_scratch_bytes(needs.count_max);
    case MultisplitMethod::atomic:
        return 0;
    }
    return 0;
}

/// Number of counters for all slices.
std::size_t slice_counters(SplitNeeds const& needs) {
    // Two-way splits always use two buckets.
    std::size_t const buckets = std::max<std::uint32_t>(needs.buckets_max, 2);
    return counts_first(needs.method)
               ? static_cast<std::size_t>(slices_of(needs, needs.count_max)) * buckets
               : 0;
}

/// Padded, as loads of 16 bytes may read beyond the last label.
std::size_t label_bytes_of(SplitNeeds const& needs) {
    return needs.stores_labels ? static_cast<std::size_t>(needs.count_max) + 16 : 0;
}

} // namespace

bool stores_labels(MultisplitMethod method, RuleKind kind, int key_bytes) {
    bool const one_pass = method == MultisplitMethod::fused || method == MultisplitMethod::atomic;
    // A 64-bit division costs more than a load of the label.
    bool const is_cheap = kind == RuleKind::digit || (kind == RuleKind::delta && key_bytes == 4);
    return one_pass && !is_cheap;
}

SplitWorkspace::SplitWorkspace(SplitNeeds const& needs) : needs_(needs) {
    int const device = current_device();
    counts_ = DeviceBuffer<std::uint64_t>(device, slice_counters(needs));
    positions_ = DeviceBuffer<std::uint32_t>(device, slice_counters(needs));
    labels_ = DeviceBuffer<std::uint8_t>(device, label_bytes_of(needs));
    if (labels_.size() != 0) {
        KEYSWAP_CUDA(cudaMemset(labels_.data(), 0, labels_.size()));
        wait_for(nullptr); // the streams of later splits need not wait for the default stream
    }
    scratch_ = DeviceBuffer<unsigned char>(device, scratch_bytes(needs));
}

std::uint64_t SplitWorkspace::bytes(SplitNeeds const& needs) {
    return slice_counters(needs) * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
           label_bytes_of(needs) + scratch_bytes(needs);
}

void SplitWorkspace::split(cudaStream_t stream,
                           OutOfPlaceArrays const& arrays,
                           DeviceRule const& rule,
                           std::uint64_t const* counts,
                           std::uint64_t* starts) {
    KEYSWAP_EXPECTS(arrays.count <= needs_.count_max && rule.buckets <= needs_.buckets_max);
    KEYSWAP_EXPECTS(counts == nullptr ||
                    (counts_first(needs_.method) && slices_of(needs_, arrays.count) == 1));
    if (arrays.count == 0) {
        clear_array(stream, starts, rule.buckets);
        return;
    }
    switch (needs_.method) {
    case MultisplitMethod::direct:
    case MultisplitMethod::warp:
    case MultisplitMethod::block:
        return launch_paper_split(
            stream, needs_.method, arrays, rule, starts, scratch_.data(), scratch_.size());
    case MultisplitMethod::reduced_bit:
        return launch_reduced_bit_split(
            stream, arrays, rule, starts, scratch_.data(), scratch_.size());
    case MultisplitMethod::scan_split:
    case MultisplitMethod::recursive_split:
        return launch_scan_split(stream, arrays, rule, starts, scratch_.data(), scratch_.size());
    case MultisplitMethod::bit_split:
        count_tiles(stream, arrays, rule);
        return move_tiles(stream, arrays, rule, starts);
    case MultisplitMethod::fused:
        if (counts == nullptr && arrays.count <= single_tile_keys_max &&
            slices_of(needs_, arrays.count) == 1) {
            return launch_single_tile_split(stream, arrays, rule, starts);
        }
        [[fallthrough]];
    case MultisplitMethod::atomic:
    case MultisplitMethod::split1:
        return split_in_slices(stream, arrays, rule, counts, starts);
    }
}

/// Counts buckets, computes starts and each slice's positions, then splits slice by slice.
void SplitWorkspace::split_in_slices(cudaStream_t stream,
                                     OutOfPlaceArrays const& arrays,
                                     DeviceRule const& rule,
                                     std::uint64_t const* counts,
                                     std::uint64_t* starts) {
    auto const slices = static_cast<std::uint32_t>(slices_of(needs_, arrays.count));
    std::uint64_t const slice_keys = keys_of_slice(needs_, arrays.count);
    std::uint8_t* const labels = needs_.stores_labels ? labels_.data() : nullptr;
    auto const for_each_slice = [&](auto const& act) {
        for (std::uint32_t slice = 0; slice < slices; ++slice) {
            std::uint64_t const begin = slice * slice_keys;
            DeviceRule part_rule = rule;
            if (rule.labels != nullptr) {
                part_rule.labels = static_cast<std::uint8_t const*>(rule.labels) +
                                   begin * static_cast<std::uint64_t>(rule.label_bytes);
            }
            act(slice_of(arrays, begin, std::min(slice_keys, arrays.count - begin)),
                part_rule,
                labels == nullptr ? nullptr : labels + begin,
                std::size_t{slice} * rule.buckets);
        }
    };
    if (counts == nullptr) {
        clear_array(stream, counts_.data(), std::size_t{slices} * rule.buckets);
        for_each_slice([&](OutOfPlaceArrays const& part,
                           DeviceRule const& part_rule,
                           std::uint8_t* part_labels,
                           std::size_t first) {
            launch_bucket_counts(stream,
                                 arrays.shape.key_bytes,
                                 {.keys = part.keys_in,
                                  .count = part.count,
                                  .rule = part_rule,
                                  .labels = part_labels,
                                  .counts = counts_.data() + first});
        });
    }
    launch_bucket_starts(stream,
                         counts == nullptr ? counts_.data() : counts,
                         slices,
                         rule.buckets,
                         positions_.data(),
                         starts);
    for_each_slice([&](OutOfPlaceArrays const& part,
                       DeviceRule const& part_rule,
                       std::uint8_t* part_labels,
                       std::size_t first) {
        std::uint32_t* const positions = positions_.data() + first;
        switch (needs_.method) {
        case MultisplitMethod::fused:
            return launch_fused_split(
                stream, part, part_rule, part_labels, positions, scratch_.data());
        case MultisplitMethod::atomic:
            return launch_atomic_split(stream, part, part_rule, part_labels, positions);
        default:
            return launch_two_way_split(stream, part, part_rule, positions, scratch_.data());
        }
    });
}

void SplitWorkspace::count_tiles(cudaStream_t stream,
                                 OutOfPlaceArrays const& arrays,
                                 DeviceRule const& rule) {
    KEYSWAP_EXPECTS(needs_.method == MultisplitMethod::bit_split);
    KEYSWAP_EXPECTS(arrays.count <= needs_.count_max && rule.buckets <= needs_.buckets_max);
    if (arrays.count != 0) {
        launch_tile_counts(stream, arrays, rule, reinterpret_cast<std::uint32_t*>(scratch_.data()));
        launch_table_scan(
            stream, table(arrays.count, rule.buckets).count, scratch_.data(), scratch_.size());
    }
}

void SplitWorkspace::move_tiles(cudaStream_t stream,
                                OutOfPlaceArrays const& arrays,
                                DeviceRule const& rule,
                                std::uint64_t* starts) {
    KEYSWAP_EXPECTS(needs_.method == MultisplitMethod::bit_split);
    if (arrays.count == 0) {
        clear_array(stream, starts, rule.buckets);
        return;
    }
    ScannedTable const scanned = table(arrays.count, rule.buckets);
    launch_bit_split(stream, arrays, rule, scanned.entries);
    launch_table_starts(
        stream, scanned.entries, scanned.count / rule.buckets, rule.buckets, starts);
}

ScannedTable SplitWorkspace::table(std::uint64_t count, std::uint32_t buckets) const {
    std::uint32_t const tile_keys = tile_keys_of(needs_.method);
    if (tile_keys == 0 || count == 0) {
        return {};
    }
    return {reinterpret_cast<std::uint32_t const*>(scratch_.data()),
            (count + tile_keys - 1) / tile_keys * buckets,
            tile_keys};
}

} // namespace keyswap::kernels
