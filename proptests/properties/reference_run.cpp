#include "proptests/properties/reference_run.hpp"

#include "model/distributions/counter_generator.hpp"
#include "model/distributions/key_generator.hpp"
#include "model/keys/key_order.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "traces/format/trace_line.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

namespace keyswap::proptests {

namespace {

using model::verify::InputKeys;
using model::verify::RecordedRun;

template <class Image, class Value>
RecordedRun replayed(RunHeader const& header, model::SortPlan const& plan, InputKeys const& keys) {
    std::vector<model::uint128> wide(keys.key_count());
    keys.images(0, std::span<model::uint128>(wide));
    std::vector<Image> images(wide.size());
    std::ranges::transform(
        wide, images.begin(), [](model::uint128 image) { return static_cast<Image>(image); });
    std::vector<Value> values(std::is_same_v<Value, model::NoValue> ? 0 : wide.size());
    if constexpr (!std::is_same_v<Value, model::NoValue>) {
        std::iota(values.begin(), values.end(), Value{0});
    }
    std::vector<Image> image_scratch(images.size());
    std::vector<Value> value_scratch(values.size());
    model::KeyArrays<Image, Value> const arrays{images, values};
    RunHeader complete = header;
    complete.version = std::max(header.version, plan.trace_version());
    if (complete.version > 1) {
        complete.layout = plan.layout();
    }
    complete.input.content = model::digest_of_range(arrays);
    model::verify::RecordedRunSink sink("reference");
    sink.write(complete);
    plan.record(sink);
    auto const violation = plan.replay(
        model::ReplayMemory<Image, Value>{arrays, {image_scratch, value_scratch}}, &sink);
    if (auto const* const buckets = plan.buckets()) {
        model::record_digests_after_swap(*buckets, arrays, DigestStage::after_sort, sink);
    }
    sink.write(PhaseTimeRecord{GpuId{0}, Phase::bucket_sort, 0, 10, 30});
    sink.write(VerdictRecord{"sorted", !violation && std::ranges::is_sorted(images), {}});
    return std::move(sink.run());
}

template <class Image>
RecordedRun
replayed_with_values(RunHeader const& header, model::SortPlan const& plan, InputKeys const& keys) {
    switch (header.value_type) {
    case ValueType::none:
        return replayed<Image, model::NoValue>(header, plan, keys);
    case ValueType::bits32:
        return replayed<Image, std::uint32_t>(header, plan, keys);
    case ValueType::bits64:
        break;
    }
    return replayed<Image, std::uint64_t>(header, plan, keys);
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
        header.key_type = *rc::gen::elementOf(narrow_key_types); // supported by every sort
        header.direction = *element(Direction::ascending, Direction::descending);
        header.value_type = *element(ValueType::none, ValueType::bits32, ValueType::bits64);
        header.stability = Stability::stable;
        header.zero_order = *element(ZeroOrder::total, ZeroOrder::equal);
        header.version = *element(1, 1, 2);
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

rc::Gen<RunHeader> any_merge_header(std::uint64_t key_count_max) {
    return rc::gen::map(any_run_header(key_count_max), [](RunHeader header) {
        header.algorithm = std::array{"p2p-merge",
                                      "het-merge",
                                      "p2p-merge",
                                      "network-merge",
                                      "simd-merge"}[header.input.seed % 5];
        if (header.algorithm == "p2p-merge") {
            header.gpus.resize(header.gpus.size() > 3 ? 4 : 2);
        } else if (header.algorithm != "het-merge") {
            header.version = 2;
            header.gpus = {0};
            header.key_type = every_key_type[header.input.seed / 5 % every_key_type.size()];
            header.parameters = {{"run-keys", 2 + header.input.seed % 97}};
        }
        return header;
    });
}

std::optional<RecordedRun> record_reference(RunHeader const& header) {
    auto const algorithm = model::find_algorithm(header.algorithm);
    auto const config = model::verify::config_of(header);
    if (!algorithm || !config) {
        return std::nullopt;
    }
    auto const input = model::verify::find_input(header);
    if (!input || input->input == nullptr) {
        return std::nullopt;
    }
    auto const plan = (*algorithm)->plan(*config, input->input->source());
    if (!plan) {
        return std::nullopt;
    }
    return model::with_image_type(header.key_type, [&]<class Image>(Image) {
        return replayed_with_values<Image>(header, **plan, *input->input);
    });
}

std::optional<std::string> carry_out(RecordedRun const& run) {
    auto const input = model::verify::find_input(run.header);
    if (!input || input->input == nullptr) {
        return "its keys are not available";
    }
    auto const algorithm = model::find_algorithm(run.header.algorithm);
    if (!algorithm) {
        return "its algorithm has no model";
    }
    return model::verify::carried_out(run, (*algorithm)->division, *input->input);
}

RecordedRun as_version_1(RecordedRun run) {
    run.header.version = 1;
    run.header.layout.reset();
    run.merges.clear();
    for (CopyRecord& copy : run.copies) {
        copy.stage = 0;
    }
    return run;
}

} // namespace keyswap::proptests

namespace keyswap {

void showValue(RunHeader const& header, std::ostream& out) {
    out << encode_line(TraceRecord{header}, header.version);
}

} // namespace keyswap
