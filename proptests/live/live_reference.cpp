#include "proptests/live/live_reference.hpp"

#include "model/keys/materialized_source.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/record_plan.hpp"

#include <numeric>

namespace keyswap::proptests {

namespace {

/// The model knows some sorts on powers of two alone; on other numbers of GPUs their chunks are
/// merged as HET merge sort does.
std::string executed(LiveCase const& live_case) {
    GpuCounts const gpus = (*find_algorithm_info(live_case.algorithm))->gpus;
    return takes_gpus(gpus, live_case.config.gpu_count) ? live_case.algorithm : "het-merge";
}

template <class Image>
LiveOutcome sorted(LiveCase const& live_case) {
    std::size_t const n = live_case.images.size();
    std::vector<Image> images = words_of<Image>(live_case);
    std::vector<std::uint64_t> values(n);
    std::iota(values.begin(), values.end(), std::uint64_t{0});
    std::vector<Image> image_scratch(n);
    std::vector<std::uint64_t> value_scratch(n);
    model::MaterializedSource source{std::span<Image const>(images)};
    model::Algorithm const& algorithm = *model::find_algorithm(executed(live_case)).value();
    auto const plan = algorithm.plan(live_case.config, source).value();
    conformance::RecordedRunSink sink("reference");
    RunHeader header = model::header_of(live_case.config, live_case.algorithm);
    header.version = plan->trace_version();
    if (header.version > 1) {
        header.layout = plan->layout();
    }
    sink.write(header);
    plan->record(sink);
    // Digests are left out: a replay that carries values takes them with the values.
    bool const digests = live_case.config.value_type == ValueType::bits64;
    auto const violation = plan->replay(
        model::ReplayMemory<Image, std::uint64_t>{{images, values}, {image_scratch, value_scratch}},
        digests ? &sink : nullptr);
    LiveOutcome outcome{std::move(sink.run()), {images.begin(), images.end()}, std::move(values)};
    if (violation) {
        outcome.run.verdicts.push_back({violation->property, false, violation->detail});
    }
    return outcome;
}

} // namespace

LiveOutcome sort_by_reference(LiveCase const& live_case) {
    return key_bits(live_case.config.key_type) == 32 ? sorted<std::uint32_t>(live_case)
                                                     : sorted<std::uint64_t>(live_case);
}

} // namespace keyswap::proptests
