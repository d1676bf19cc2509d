#include "model/external/external_plan.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <limits>

namespace keyswap::model {

namespace {

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t block_bytes_max = 8 * MiB; ///< larger blocks gain nothing on 2020s disks
constexpr std::uint64_t block_count = 3; ///< one is read, one is processed, one is in transit
constexpr std::uint64_t slot_count = 3;  ///< ranges in memory: one read, one sorted, one written
constexpr std::uint64_t index_bytes = 4; ///< index of a record within its range
constexpr std::uint64_t gpu_records_min = 1024; ///< minimum for a range; less is a mistake

/// Bytes of memory per record while ranges are sorted.
std::uint64_t bytes_per_record(RecordLayout const& layout) {
    if (layout.is_plain_key()) {
        return (slot_count + 1) * layout.record_bytes; // plus the scratch space of the sort
    }
    // Separate arrays of keys and values, with scratch space for both, need no more than this.
    std::uint64_t const word = layout.key_bytes <= 8 ? 8 : 16;
    return slot_count * (layout.record_bytes + index_bytes) + 2 * word + index_bytes;
}

/// Number of divisions until the parts of `count` records fit, assuming even parts.
std::uint64_t divisions(ExternalMemory const& memory, std::uint64_t count) {
    std::uint64_t times = 0;
    for (; count > memory.records_max; count = range_target(memory, count).planned_records()) {
        ++times;
    }
    return times;
}

} // namespace

std::uint64_t ExternalMemory::buffer_bytes(RecordLayout const& layout,
                                           std::uint64_t range_count) const {
    std::uint64_t const all = given_bytes - reserve_bytes - block_count * block_bytes;
    std::uint64_t const bytes = std::min(block_bytes_max, all / (2 * range_count));
    return bytes / layout.record_bytes * layout.record_bytes;
}

std::uint64_t checkpoint_bytes(ExternalMemory const& memory) {
    return 2 * memory.given_bytes;
}

Expected<ExternalMemory> divide_memory(RecordLayout const& layout,
                                       std::uint64_t given_bytes,
                                       std::optional<std::uint64_t> gpu_records_max) {
    std::uint64_t const least =
        std::max(external_memory_min, std::uint64_t{4096} * layout.record_bytes);
    if (given_bytes < least) {
        return tl::unexpected(
            InputError{setting("memory", grouped_count(given_bytes)),
                       "is too little for an external sort of " + to_string(layout),
                       "give at least " + grouped_count(least) + " bytes"});
    }
    ExternalMemory memory;
    memory.given_bytes = given_bytes;
    memory.reserve_bytes = std::max(given_bytes / 16, std::min(given_bytes / 4, 32 * MiB));
    std::uint64_t const usable = given_bytes - memory.reserve_bytes;
    std::uint64_t const block = std::min(block_bytes_max, usable / 16);
    memory.block_bytes =
        std::max<std::uint64_t>(block / layout.record_bytes, 1) * layout.record_bytes;
    std::uint64_t const rest = usable - block_count * memory.block_bytes;
    std::uint64_t const buffer_min =
        std::max<std::uint64_t>(layout.record_bytes, std::clamp(usable / 4096, 4 * KiB, 256 * KiB));
    memory.ranges_max = rest / (2 * buffer_min);
    memory.records_max = std::min<std::uint64_t>(rest / bytes_per_record(layout),
                                                 std::numeric_limits<std::uint32_t>::max());
    if (gpu_records_max) {
        if (*gpu_records_max < gpu_records_min) {
            return input_error("the GPUs' memory",
                               "has room for " + grouped_count(*gpu_records_max) +
                                   " records of a range",
                               "give more with " + setting("gpu-memory") + ", or sort on cores");
        }
        memory.gpu_records_max = gpu_records_max;
        memory.records_max = std::min(memory.records_max, *gpu_records_max);
    }
    KEYSWAP_ENSURES(memory.ranges_max > 8 && memory.records_max > 8);
    return memory;
}

RangeTarget range_target(ExternalMemory const& memory, std::uint64_t record_count) {
    return {record_count, memory.records_max, memory.ranges_max};
}

bool is_oversized(ExternalMemory const& memory, ImageInterval images, std::uint64_t count) {
    return count > memory.records_max && !images.single_valued();
}

std::uint64_t ExternalPlan::oversized_records() const {
    std::uint64_t count = 0;
    for (std::size_t const index : oversized) {
        count += ranges[index].count;
    }
    return count;
}

std::uint64_t ExternalPlan::redivided_records() const {
    std::uint64_t records = 0;
    for (std::size_t const index : oversized) {
        records += ranges[index].count * divisions(memory, ranges[index].count);
    }
    return records;
}

std::uint64_t ExternalPlan::divisions_most() const {
    std::uint64_t most = 0;
    for (std::size_t const index : oversized) {
        most = std::max(most, divisions(memory, ranges[index].count));
    }
    return most;
}

std::uint64_t ExternalPlan::moved_bytes() const {
    std::uint64_t const records =
        record_count * static_cast<std::uint64_t>(passes()) + redivided_records();
    return records * layout.record_bytes;
}

Expected<ExternalPlan> plan_external_sort(RecordLayout const& layout,
                                          ExternalMemory const& memory,
                                          KeySource& source,
                                          std::uint64_t seed) {
    ExternalPlan plan{layout, memory, source.key_count(), source.counts(), {}, {}};
    ImageInterval const all{0, largest_image_of_bits(layout.image_bits())};
    if (plan.record_count <= memory.records_max) {
        plan.ranges = {{all, 0, plan.record_count}};
        return plan;
    }
    RangeTarget const target = range_target(memory, plan.record_count);
    RefinedBucket const root{
        BucketPrefix{},
        choose_ranges(source.images_at(sample_positions(target, seed)), target, all)};
    auto const range_count = static_cast<std::uint32_t>(root.children.size());
    auto const counts =
        source.histograms(Chunks(plan.record_count, 1), std::span(&root, 1), range_count);
    std::uint64_t place = 0;
    for (std::uint32_t i = 0; i < range_count; ++i) {
        std::uint64_t const count = counts.front().count(GpuId{0}, i);
        if (is_oversized(memory, root.children[i], count)) {
            plan.oversized.push_back(plan.ranges.size());
        }
        plan.ranges.push_back({root.children[i], place, count});
        place += count;
    }
    KEYSWAP_ENSURES(place == plan.record_count);
    return plan;
}

} // namespace keyswap::model
