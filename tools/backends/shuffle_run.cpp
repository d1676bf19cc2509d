#include "tools/backends/shuffle_run.hpp"

#include "model/keys/key_order.hpp"
#include "model/partition/multisplit.hpp"
#include "model/partition/record_multisplit.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/split_arrays.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace keyswap::tools {

namespace {

/// Expected result of every shuffle.
struct ExpectedShuffle {
    std::vector<std::uint32_t> labels;   ///< [n] bucket of each input key
    std::vector<MultisetDigest> digests; ///< [m] keys of each bucket
    std::vector<std::uint64_t> starts;   ///< [m] output index of each bucket's first key
    SequenceDigest output;               ///< of the stable partition by owner and bucket
};

/// Stores the partition itself in the scratch arrays.
template <class Image, class Value>
ExpectedShuffle expected_shuffle(model::ParsedFunction const& given,
                                 std::vector<GpuId> const& owners,
                                 model::ReplayMemory<Image, Value> const& memory,
                                 KeyType type) {
    model::BucketEvaluator const evaluator(given.function, key_bits(type), given.labels);
    std::uint32_t const buckets = given.function.buckets;
    ExpectedShuffle expected;
    expected.labels = model::labels_of(evaluator, std::span<Image const>(memory.arrays.keys));
    expected.digests = model::bucket_digests(expected.labels, buckets, memory.arrays);
    auto const ranks = model::output_ranks(owners);
    std::vector<std::uint32_t> ranked = expected.labels;
    std::ranges::for_each(ranked, [&ranks](std::uint32_t& label) { label = ranks[label]; });
    auto const begins = model::exclusive_sums(
        model::stable_partition(ranked, buckets, memory.arrays, memory.scratch));
    for (std::uint32_t const rank : ranks) {
        expected.starts.push_back(begins[rank]);
    }
    expected.output = model::sequence_digest(memory.scratch);
    return expected;
}

/// First error in the output or in the records of the run; empty if none.
template <class Image, class Value>
std::string wrong_output(ShuffleRun const& run,
                         ExpectedShuffle const& expected,
                         model::KeyArrays<Image, Value> const& output) {
    for (ChunkSplit const& split : run.splits) {
        if (split.partition.starts != model::exclusive_sums(split.counts)) {
            return "the starts of GPU " + std::to_string(split.partition.gpu.value) +
                   " are not where its buckets begin";
        }
    }
    if (run.starts != expected.starts) {
        return "the buckets do not begin where they must";
    }
    std::uint64_t placed = 0;
    for (std::size_t place = 0; place < run.shuffle.placements.size(); ++place) {
        PlacementRecord const& one = run.shuffle.placements[place];
        bool const is_range =
            one.bucket.prefix < expected.digests.size() && one.end <= output.size() &&
            one.begin == expected.starts[one.bucket.prefix] && one.begin <= one.end;
        MultisetDigest digest;
        for (std::uint64_t i = one.begin; is_range && i < one.end; ++i) {
            digest += model::element_digest(output.keys[i], model::value_word(output, i));
        }
        if (!is_range || digest != expected.digests[one.bucket.prefix]) {
            return "bucket " + std::to_string(one.bucket.prefix) + " holds other keys";
        }
        if (run.arrivals[place] != digest) {
            return "bucket " + std::to_string(one.bucket.prefix) +
                   " arrived on its owner with other keys";
        }
        placed += digest.count;
    }
    if (placed != output.size()) {
        return "a bucket that holds keys is not placed";
    }
    bool const stable = std::ranges::all_of(run.splits, [](ChunkSplit const& split) {
        return split.partition.stability == Stability::stable;
    });
    return stable && run.output != expected.output ? "not the one stable partition" : "";
}

template <class Image, class Value>
Expected<ShuffleRun> replay(model::ParsedFunction const& given,
                            ShuffleJob const& job,
                            model::ReplayMemory<Image, Value> const& memory,
                            model::SortConfig const& config) {
    auto const at_option = about("--method " + job.method);
    KEYSWAP_TRY(auto const method, model::find_multisplit_method(job.method).map_error(at_option));
    std::uint32_t const buckets = given.function.buckets;
    KEYSWAP_RETURN_IF_ERROR(model::check_buckets(*method, buckets).map_error(at_option));
    ExpectedShuffle const expected = expected_shuffle(given, job.owners, memory, config.key_type);
    ShuffleRun run;
    run.function = given.function;
    run.starts = expected.starts;
    model::Chunks const chunks(memory.arrays.size(),
                               static_cast<std::uint32_t>(job.devices.size()));
    std::vector<std::vector<std::uint64_t>> counts;
    for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
        auto const range = chunks.of(gpu);
        auto const labels = std::span(expected.labels).subspan(range.begin, range.size());
        auto const from = memory.arrays.part(range.begin, range.size());
        ChunkSplit split;
        split.counts = model::bucket_counts(labels, buckets);
        split.digests = model::bucket_digests(labels, buckets, from);
        auto const outcome = model::multisplit(
            *method, labels, buckets, from, memory.scratch.part(range.begin, range.size()));
        if (run.wrong.empty()) {
            run.wrong = outcome.wrong;
        }
        split.partition = model::partition_record({1, gpu, 0}, split.counts, *method, outcome);
        counts.push_back(split.counts);
        run.splits.push_back(std::move(split));
    }
    run.shuffle = model::plan_shuffle(counts, job.owners);
    model::exchange(run.shuffle, chunks, memory.scratch, memory.arrays);
    for (PlacementRecord const& placed : run.shuffle.placements) {
        run.arrivals.push_back(expected.digests[placed.bucket.prefix]);
    }
    run.output = model::sequence_digest(memory.arrays);
    if (run.wrong.empty()) {
        run.wrong = wrong_output(run, expected, memory.arrays);
    }
    return run;
}

/// Converts the kernels' records.
ShuffleRun account_of(kernels::ShuffleRecords records) {
    ShuffleRun run;
    for (std::uint32_t gpu = 0; gpu < records.splits.size(); ++gpu) {
        kernels::SplitRecords& split = records.splits[gpu];
        split.partition.gpu = GpuId{gpu};
        run.splits.push_back(
            {std::move(split.counts), std::move(split.partition), std::move(split.digests)});
    }
    run.shuffle.placements = std::move(records.report.placements);
    run.shuffle.ownership = std::move(records.report.ownership);
    run.shuffle.copies = std::move(records.report.copies);
    run.arrivals = std::move(records.arrivals);
    run.starts = std::move(records.report.starts);
    run.times = std::move(records.report.times);
    return run;
}

template <class Image, class Value>
Expected<ShuffleRun> run_kernels(model::ParsedFunction const& given,
                                 ShuffleJob const& job,
                                 model::ReplayMemory<Image, Value> const& memory,
                                 model::SortConfig const& config) {
    KEYSWAP_TRY(auto const method, kernels::parse_multisplit_method(job.method));
    ExpectedShuffle const expected = expected_shuffle(given, job.owners, memory, config.key_type);
    kernels::ShuffleOptions options;
    options.key_type = config.key_type;
    options.direction = config.direction;
    options.value_type = config.value_type;
    options.function = given.function;
    options.method = method;
    options.devices = job.devices;
    for (GpuId const owner : job.owners) {
        options.owners.push_back(owner.value);
    }
    model::to_keys(config.key_type, config.direction, memory.arrays.keys);
    std::vector<std::uint64_t> starts(given.function.buckets);
    KEYSWAP_TRY(auto records,
                cuda::shuffle(options, split_arrays(given, memory, starts), memory.arrays.size()));
    model::to_images(config.key_type, config.direction, ZeroOrder::total, memory.scratch.keys);
    std::ranges::copy(memory.scratch.keys, memory.arrays.keys.begin());
    std::ranges::copy(memory.scratch.values, memory.arrays.values.begin());
    ShuffleRun run = account_of(std::move(records));
    run.function = given.function;
    run.output = model::sequence_digest(memory.arrays);
    run.wrong = starts == run.starts ? wrong_output(run, expected, memory.arrays)
                                     : "the starts of the call are not those that it returns";
    return run;
}

} // namespace

Expected<ShuffleRun> shuffle_by_reference(model::ParsedFunction const& given,
                                          ShuffleJob const& job,
                                          KeyMemory& memory,
                                          model::SortConfig const& config) {
    return std::visit([&](auto const& typed) { return replay(given, job, typed, config); },
                      memory.replay_memory());
}

Expected<ShuffleRun> shuffle_on_gpus(model::ParsedFunction const& given,
                                     ShuffleJob const& job,
                                     KeyMemory& memory,
                                     model::SortConfig const& config) {
    return std::visit([&](auto const& typed) { return run_kernels(given, job, typed, config); },
                      memory.replay_memory());
}

} // namespace keyswap::tools
