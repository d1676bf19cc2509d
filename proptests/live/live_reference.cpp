#include "proptests/live/live_reference.hpp"

#include "model/keys/materialized_source.hpp"
#include "model/partition/record_multisplit.hpp"
#include "model/partition/shuffle.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/record_plan.hpp"

#include <numeric>
#include <span>

namespace keyswap::proptests {

namespace {

/// Some sorts of the model need a power of two of GPUs; for other counts, the chunks are merged as
/// in HET merge sort.
std::string executed(LiveCase const& live_case) {
    GpuCounts const gpus = (*find_algorithm_info(live_case.algorithm))->gpus;
    return takes_gpus(gpus, live_case.config.gpu_count) ? live_case.algorithm : "het-merge";
}

template <class Image>
bool plans(LiveCase const& live_case) {
    std::vector<Image> const images = words_of<Image>(live_case);
    model::MaterializedSource source{std::span<Image const>(images)};
    model::Algorithm const& algorithm = *model::find_algorithm(executed(live_case)).value();
    return algorithm.plan(live_case.config, source).has_value();
}

template <class Image, class Value>
LiveOutcome sorted(LiveCase const& live_case) {
    std::size_t const n = live_case.images.size();
    std::vector<Image> images = words_of<Image>(live_case);
    std::vector<Value> values;
    if constexpr (!std::is_same_v<Value, model::NoValue>) {
        values.resize(n);
        std::iota(values.begin(), values.end(), Value{0});
    }
    std::vector<Image> image_scratch(n);
    std::vector<Value> value_scratch(values.size());
    model::MaterializedSource source{std::span<Image const>(images)};
    model::Algorithm const& algorithm = *model::find_algorithm(executed(live_case)).value();
    auto const plan = algorithm.plan(live_case.config, source).value();
    model::verify::RecordedRunSink sink("reference");
    RunHeader header = model::header_of(live_case.config, live_case.algorithm);
    header.version = plan->trace_version();
    if (header.version > 1) {
        header.layout = plan->layout();
    }
    sink.write(header);
    plan->record(sink);
    auto const violation = plan->replay(
        model::ReplayMemory<Image, Value>{{images, values}, {image_scratch, value_scratch}}, &sink);
    LiveOutcome outcome{std::move(sink.run()), images_of(live_case, images).value(), {}};
    if constexpr (!std::is_same_v<Value, model::NoValue>) {
        outcome.output_values.assign(values.begin(), values.end());
    }
    if (violation) {
        outcome.run.verdicts.push_back({violation->property, false, violation->detail});
    }
    return outcome;
}

/// Uses values of the case's width, so that digests are correct.
template <class Image>
LiveOutcome sorted(LiveCase const& live_case) {
    switch (live_case.config.value_type) {
    case ValueType::none:
        return sorted<Image, model::NoValue>(live_case);
    case ValueType::bits32:
        return sorted<Image, std::uint32_t>(live_case);
    case ValueType::bits64:
        break;
    }
    return sorted<Image, std::uint64_t>(live_case);
}

using Arrays = model::KeyArrays<std::uint64_t, std::uint64_t>;

/// Runs a multisplit; with several GPUs, a shuffle.
LiveOutcome partitioned(LiveCase const& live_case) {
    LiveSplit const& split = *live_case.split;
    std::size_t const n = live_case.images.size();
    std::uint32_t const buckets = split.function.buckets;
    std::vector<std::uint64_t> images = live_case.images;
    LiveOutcome outcome;
    outcome.output_images.resize(n);
    std::vector<std::uint32_t> const column = label_column(split, n);
    bool const is_column = std::holds_alternative<LabelBuckets>(split.function.rule);
    model::BucketEvaluator const evaluator(split.function,
                                           key_bits(live_case.config.key_type),
                                           is_column ? std::span(column)
                                                     : std::span<std::uint32_t const>());
    std::vector<std::uint32_t> const labels =
        model::labels_of(evaluator, std::span<std::uint64_t const>(images));
    model::MultisplitMethod const& method = **model::find_multisplit_method(split.method);
    // Digests use a value of 0 if there are no values.
    bool const has_values = live_case.config.value_type != ValueType::none;
    std::vector<std::uint64_t> values(n);
    std::vector<std::uint64_t> output_values(n);
    if (has_values) {
        std::iota(values.begin(), values.end(), std::uint64_t{0});
    }
    model::verify::RecordedRunSink sink("reference");
    sink.write(multisplit_header(live_case));
    sink.write(BucketFunctionRecord{0, {}, recorded_function(split, n)});
    std::vector<std::uint64_t> split_images(n);
    std::vector<std::uint64_t> split_values(n);
    Arrays const input{images, values};
    Arrays const ordered{split_images, split_values};
    model::Chunks const chunks(n, live_case.config.gpu_count);
    std::vector<std::vector<std::uint64_t>> counts;
    for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
        auto const range = chunks.of(gpu);
        auto const part = input.part(range.begin, range.size());
        auto const part_labels = std::span(labels).subspan(range.begin, range.size());
        counts.push_back(model::bucket_counts(part_labels, buckets));
        model::PartitionPlace const place{1, gpu, 0};
        sink.write(model::histogram_record(place, counts.back()));
        sink.write(model::partition_record(
            place,
            counts.back(),
            method,
            model::multisplit(
                method, part_labels, buckets, part, ordered.part(range.begin, range.size()))));
        model::record_bucket_digests(
            place, model::bucket_digests(part_labels, buckets, part), sink);
    }
    auto const owners = model::even_owners(buckets, chunks.gpu_count());
    model::Shuffle const shuffle = model::plan_shuffle(counts, owners);
    model::exchange(shuffle, chunks, ordered, Arrays{outcome.output_images, output_values});
    outcome.output_values = has_values ? output_values : std::vector<std::uint64_t>();
    if (chunks.gpu_count() > 1) {
        auto const digests =
            model::bucket_digests(std::span<std::uint32_t const>(labels), buckets, input);
        std::vector<MultisetDigest> arrivals;
        for (PlacementRecord const& placed : shuffle.placements) {
            arrivals.push_back(digests[placed.bucket.prefix]);
        }
        model::record_exchange(shuffle, arrivals, sink);
    }
    outcome.run = std::move(sink.run());
    return outcome;
}

} // namespace

bool can_be_planned(LiveCase const& live_case) {
    return with_word(live_case, [&]<class Word>(std::type_identity<Word> /*word*/) {
        return plans<Word>(live_case);
    });
}

LiveOutcome run_by_reference(LiveCase const& live_case) {
    if (live_case.split) {
        return partitioned(live_case);
    }
    return with_word(live_case, [&]<class Word>(std::type_identity<Word> /*word*/) {
        return sorted<Word>(live_case);
    });
}

} // namespace keyswap::proptests
