#include "proptests/live_reference.hpp"

#include "model/algorithm.hpp"
#include "model/materialized_source.hpp"
#include "model/planner.hpp"
#include "model/record_plan.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::proptests {

namespace {

template <class Image>
LiveOutcome sorted(LiveCase const& live_case) {
    std::size_t const n = live_case.images.size();
    std::vector<Image> images(n);
    std::ranges::transform(live_case.images, images.begin(), [](std::uint64_t image) {
        return static_cast<Image>(image);
    });
    std::vector<std::uint64_t> values(n);
    std::iota(values.begin(), values.end(), std::uint64_t{0});
    std::vector<Image> image_scratch(n);
    std::vector<std::uint64_t> value_scratch(n);
    model::MaterializedSource source{std::span<Image const>(images)};
    model::Algorithm const& rmg = model::algorithms().front();
    model::SortPlan const plan = model::plan_rmg_sort(live_case.config, source);
    conformance::RecordedRunSink sink("reference");
    sink.write(model::header_of(live_case.config, "rmg"));
    rmg.record(plan, sink);
    // Digests are left out: a replay that carries values takes them with the values.
    bool const digests = live_case.config.value_type == ValueType::bits64;
    auto const violation = rmg.replay(
        plan,
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
