#include "proptests/reference_run.hpp"

#include "model/algorithm.hpp"
#include "model/counter_generator.hpp"
#include "model/key_generator.hpp"
#include "model/replay_digests.hpp"
#include "proptests/expected_run.hpp"
#include "proptests/input_keys.hpp"
#include "traces/trace_line.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace keyswap::proptests {

namespace {

using conformance::InputKeys;
using conformance::RecordedRun;

template <class Image, class Value>
RecordedRun replayed(RunHeader const& header,
                     model::Algorithm const& algorithm,
                     model::SortPlan const& plan,
                     InputKeys const& keys) {
    std::vector<std::uint64_t> wide(keys.key_count());
    keys.images(0, wide);
    std::vector<Image> images(wide.size());
    std::ranges::transform(
        wide, images.begin(), [](std::uint64_t image) { return static_cast<Image>(image); });
    std::vector<Value> values(std::is_same_v<Value, model::NoValue> ? 0 : wide.size());
    if constexpr (!std::is_same_v<Value, model::NoValue>) {
        std::iota(values.begin(), values.end(), Value{0});
    }
    std::vector<Image> image_scratch(images.size());
    std::vector<Value> value_scratch(values.size());
    model::KeyArrays<Image, Value> const arrays{images, values};
    RunHeader complete = header;
    complete.input.content = model::digest_of_range(arrays);
    conformance::RecordedRunSink sink("reference");
    sink.write(complete);
    algorithm.record(plan, sink);
    auto const violation = algorithm.replay(
        plan, model::ReplayMemory<Image, Value>{arrays, {image_scratch, value_scratch}}, &sink);
    if (auto const* const rmg = std::get_if<model::Plan>(&plan)) {
        model::record_digests_after_swap(*rmg, arrays, DigestStage::after_sort, sink);
    }
    sink.write(PhaseTimeRecord{GpuId{0}, "bucket sort", 0, 10, 30});
    sink.write(VerdictRecord{"sorted", !violation && std::ranges::is_sorted(images), {}});
    return std::move(sink.run());
}

template <class Image>
RecordedRun replayed_with_values(RunHeader const& header,
                                 model::Algorithm const& algorithm,
                                 model::SortPlan const& plan,
                                 InputKeys const& keys) {
    switch (header.value_type) {
    case ValueType::none:
        return replayed<Image, model::NoValue>(header, algorithm, plan, keys);
    case ValueType::bits32:
        return replayed<Image, std::uint32_t>(header, algorithm, plan, keys);
    case ValueType::bits64:
        break;
    }
    return replayed<Image, std::uint64_t>(header, algorithm, plan, keys);
}

/// Mask of bits [begin, end).
std::uint64_t bit_window(int begin, int end) {
    auto const below = [](int bit) {
        return bit >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit) - 1;
    };
    return end <= begin ? 0 : below(end) & ~below(begin);
}

/// The GPUs' memories while a run is carried out. A place that nothing was written to is empty.
using Memory = std::vector<std::vector<std::optional<std::uint64_t>>>;

/// Chunks as the partitioning leaves them: keys ordered by their final bucket.
std::vector<std::vector<std::uint64_t>> partitioned(RecordedRun const& run,
                                                    std::vector<std::uint64_t> const& keys) {
    std::set<std::pair<int, std::uint64_t>> final_buckets;
    for (PlacementRecord const& placement : run.placements) {
        if (placement.state != PlacementState::spanning) {
            final_buckets.emplace(placement.bucket.pass, placement.bucket.prefix);
        }
    }
    int const bits = key_bits(run.header.key_type);
    auto const bucket_begin = [&](std::uint64_t image) {
        for (int pass = 1; pass * run.header.digit_bits < bits + run.header.digit_bits; ++pass) {
            int const below = std::max(0, bits - pass * run.header.digit_bits);
            if (final_buckets.contains({pass, image >> below})) {
                return (image >> below) << below;
            }
        }
        return std::uint64_t{0};
    };
    std::size_t const gpus = run.header.gpus.size();
    std::size_t const chunk = (keys.size() + gpus - 1) / gpus;
    std::vector<std::vector<std::uint64_t>> chunks;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
        std::size_t const begin = std::min(keys.size(), gpu * chunk);
        std::size_t const end = std::min(keys.size(), begin + chunk);
        auto const at = [&keys](std::size_t i) {
            return keys.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::vector<std::uint64_t> part(at(begin), at(end));
        std::ranges::stable_sort(part, {}, bucket_begin);
        chunks.push_back(std::move(part));
    }
    return chunks;
}

std::optional<std::string> copy_keys(RecordedRun const& run,
                                     std::vector<std::vector<std::uint64_t>> const& chunks,
                                     Memory& memory) {
    for (CopyRecord const& copy : run.copies) {
        if (copy.source.value >= chunks.size() || copy.destination.value >= memory.size()) {
            return "a copy of a GPU that does not exist";
        }
        auto const& from = chunks[copy.source.value];
        auto& to = memory[copy.destination.value];
        if (copy.source_offset > from.size() || copy.count > from.size() - copy.source_offset ||
            copy.destination_offset > to.size() ||
            copy.count > to.size() - copy.destination_offset) {
            return "a copy out of bounds";
        }
        for (std::uint64_t i = 0; i < copy.count; ++i) {
            to[copy.destination_offset + i] = from[copy.source_offset + i];
        }
    }
    return std::nullopt;
}

std::optional<std::string> sort_ranges(RecordedRun const& run, Memory& memory) {
    for (SortRangeRecord const& range : run.sort_ranges) {
        if (range.gpu.value >= memory.size() || range.offset > memory[range.gpu.value].size() ||
            range.count > memory[range.gpu.value].size() - range.offset || range.begin_bit < 0 ||
            range.end_bit < range.begin_bit || range.end_bit > key_bits(run.header.key_type)) {
            return "a sort that cannot be called";
        }
        auto const keys = std::span(memory[range.gpu.value]).subspan(range.offset, range.count);
        std::uint64_t const window = bit_window(range.begin_bit, range.end_bit);
        std::ranges::stable_sort(keys, {}, [window](std::optional<std::uint64_t> const& key) {
            return key.value_or(0) & window;
        });
    }
    return std::nullopt;
}

} // namespace

rc::Gen<RunHeader> any_run_header(std::uint64_t key_count_max) {
    return rc::gen::exec([key_count_max] {
        using rc::gen::element;
        using rc::gen::inRange;
        RunHeader header;
        header.program = "keyswap";
        header.algorithm = "rmg";
        header.variant = "reference";
        header.virtual_gpus = true;
        header.key_count = *inRange<std::uint64_t>(0, key_count_max + 1);
        header.gpus.resize(*inRange<std::size_t>(1, 7));
        std::iota(header.gpus.begin(), header.gpus.end(), 0);
        header.key_type = *element(
            KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64);
        header.direction = *element(Direction::ascending, Direction::descending);
        header.value_type = *element(ValueType::none, ValueType::bits32, ValueType::bits64);
        header.stability = Stability::stable;
        header.zero_order = *element(ZeroOrder::total, ZeroOrder::equal);
        header.digit_bits = *element(8, 8, 4, 5, 3, 11);
        header.tolerance_ppm = *element<std::uint32_t>(5'000, 0, 100'000, 300'000);
        header.fuse_ppm = *element<std::uint32_t>(10'000, 0, 200'000, 1'000'000);
        header.input.distribution = *element<std::string>(
            "uniform", "zipf", "skewed", "nearly-sorted", "zero", "gaussian", "reverse-sorted");
        if (header.input.distribution == "skewed") {
            header.input.parameter = *inRange(0, 33);
        }
        header.input.seed = *inRange<std::uint64_t>(0, 1'000'000);
        header.input.generator_version = model::generator_version;
        return header;
    });
}

std::optional<RecordedRun> record_reference(RunHeader const& header) {
    auto const algorithm = model::find_algorithm(header.algorithm);
    auto const config = conformance::config_of(header);
    if (!algorithm || !config) {
        return std::nullopt;
    }
    auto const input = conformance::find_input(header);
    if (!input || input->keys == nullptr) {
        return std::nullopt;
    }
    auto const plan = (*algorithm)->plan(*config, input->keys->source());
    if (!plan) {
        return std::nullopt;
    }
    return key_bits(header.key_type) == 32
               ? replayed_with_values<std::uint32_t>(header, **algorithm, *plan, *input->keys)
               : replayed_with_values<std::uint64_t>(header, **algorithm, *plan, *input->keys);
}

std::optional<std::string> carry_out(RecordedRun const& run) {
    auto const input = conformance::find_input(run.header);
    if (!input || input->keys == nullptr) {
        return "its keys cannot be had";
    }
    std::vector<std::uint64_t> keys(input->keys->key_count());
    input->keys->images(0, keys);
    Memory memory(run.header.gpus.size());
    for (auto& of_gpu : memory) {
        of_gpu.resize(keys.size()); // larger than any GPU's share, so that nothing else is meant
    }
    if (auto problem = copy_keys(run, partitioned(run, keys), memory)) {
        return problem;
    }
    if (auto problem = sort_ranges(run, memory)) {
        return problem;
    }
    std::vector<std::optional<std::uint64_t>> output(keys.size());
    for (OwnershipRecord const& owner : run.ownership) {
        if (owner.count == 0) {
            continue;
        }
        if (owner.gpu.value >= memory.size() || owner.base > output.size() ||
            owner.count > output.size() - owner.base) {
            return "a copy back out of bounds";
        }
        std::ranges::copy(std::span(memory[owner.gpu.value]).first(owner.count),
                          output.begin() + static_cast<std::ptrdiff_t>(owner.base));
    }
    std::ranges::sort(keys);
    if (!std::ranges::equal(
            output, keys, {}, {}, [](std::uint64_t key) { return std::optional(key); })) {
        return "the output is not the sorted input";
    }
    return std::nullopt;
}

} // namespace keyswap::proptests

namespace keyswap {

void showValue(RunHeader const& header, std::ostream& out) {
    out << encode_line(TraceRecord{header});
}

} // namespace keyswap
