#pragma once

#include "model/keys/interval_slots.hpp"
#include "model/keys/key_arrays.hpp"
#include "model/keys/parallel.hpp"
#include "model/partition/stable_partition.hpp"
#include "model/plan/violation.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"
#include "model/sorts/rmg/part_offsets.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

namespace keyswap::model {

/// The first difference between a counted histogram and the planned one; nullopt if equal.
[[nodiscard]] inline std::optional<Violation> compare_histograms(
    BucketHistogram const& planned, GpuId gpu, std::span<std::uint64_t const> counted) {
    auto const expected = planned.of(gpu);
    auto const [found, want] = std::ranges::mismatch(counted, expected);
    if (want == expected.end()) {
        return std::nullopt;
    }
    return Violation{"histogram",
                     "digit " + std::to_string(want - expected.begin()) + ": planned " +
                         std::to_string(*want) + " keys, counted " + std::to_string(*found),
                     planned.bucket().pass + 1,
                     planned.bucket(),
                     gpu};
}

/// Partitions one GPU's part of one spanning bucket: count, compare, scatter. Copies instead of
/// scattering if all keys share a digit. \returns a violation if the counts differ from the plan
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> partition_part(BucketHistogram const& planned,
                                                      GpuId gpu,
                                                      BitField field,
                                                      KeyArrays<Image, Value> const& from,
                                                      KeyArrays<Image, Value> const& to) {
    BlockHistograms counts = count_digits(std::span<Image const>(from.keys), field);
    std::vector<std::uint64_t> const total = counts.total();
    if (auto violation = compare_histograms(planned, gpu, total)) {
        return violation;
    }
    if (std::ranges::max(total) == from.size()) {
        copy_keys(from, to);
    } else {
        scatter(from, to, std::move(counts));
    }
    return std::nullopt;
}

/// As above, for children that are arbitrary intervals of images.
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> partition_part(BucketHistogram const& planned,
                                                      GpuId gpu,
                                                      RefinedBucket const& refined,
                                                      KeyArrays<Image, Value> const& from,
                                                      KeyArrays<Image, Value> const& to) {
    std::uint32_t const none = planned.digit_count();
    std::vector<std::uint32_t> labels(from.size());
    using Slots = IntervalSlots<SearchWord<Image>>;
    Slots const slots(counted_intervals(std::span(&refined, 1), none), 8 * sizeof(Image));
    std::ranges::transform(from.keys, labels.begin(), [&](Image image) {
        std::size_t const slot = slots.slot_of(image);
        return slot == Slots::no_slot ? none : static_cast<std::uint32_t>(slot);
    });
    auto const counts =
        stable_partition(std::span<std::uint32_t const>(labels), none + 1, from, to);
    return compare_histograms(planned, gpu, std::span(counts).first(none));
}

/// Runs a pass on one GPU's part of one bucket that it refines.
/// \param offset start of the part in the GPU's chunk
/// \param chunk, scratch the GPU's memory; the result is in `scratch`
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> partition_part(Plan const& plan,
                                                      PassPlan const& pass,
                                                      std::size_t histogram,
                                                      GpuId gpu,
                                                      std::uint64_t offset,
                                                      KeyArrays<Image, Value> const& chunk,
                                                      KeyArrays<Image, Value> const& scratch) {
    BucketHistogram const& planned = pass.histograms[histogram];
    auto const counts = planned.of(gpu);
    std::uint64_t const size = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    auto const original = chunk.part(offset, size);
    auto const partitioned = scratch.part(offset, size);
    if (pass.pass > 1) {
        copy_keys(partitioned, original);
    }
    if (!pass.refined.empty()) {
        return partition_part(planned, gpu, pass.refined[histogram], original, partitioned);
    }
    BitField const field{plan.layout.bits_below(pass.pass), plan.layout.bits_of(pass.pass)};
    return partition_part(planned, gpu, field, original, partitioned);
}

/// Runs all passes on all GPUs. Afterwards the keys of GPU i, bucket by bucket, are in its chunk
/// of `scratch`: pass 1 scatters into it; each later pass copies a part to `arrays` and scatters
/// it back. Source: RMG paper, section 3.1.
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> replay_partitioning(Plan const& plan,
                                                           KeyArrays<Image, Value> const& arrays,
                                                           KeyArrays<Image, Value> const& scratch) {
    if (plan.passes.empty()) {
        copy_keys(arrays, scratch);
        return std::nullopt;
    }
    auto const offsets = part_offsets(plan);
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        PassPlan const& pass = plan.passes[i];
        std::size_t const gpu_count = plan.config.gpu_count;
        std::vector<std::optional<Violation>> violations(pass.histograms.size() * gpu_count);
        parallel_for(violations.size(), [&](std::uint64_t task) {
            std::size_t const histogram = task / gpu_count;
            GpuId const gpu{static_cast<std::uint32_t>(task % gpu_count)};
            IndexRange const chunk = plan.chunks.of(gpu);
            violations[task] = partition_part(plan,
                                              pass,
                                              histogram,
                                              gpu,
                                              offsets[i][histogram][gpu.value],
                                              arrays.part(chunk.begin, chunk.size()),
                                              scratch.part(chunk.begin, chunk.size()));
        });
        auto const first =
            std::ranges::find_if(violations, [](auto const& v) { return v.has_value(); });
        if (first != violations.end()) {
            return *first;
        }
    }
    return std::nullopt;
}

} // namespace keyswap::model
