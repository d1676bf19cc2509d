#include "proptests/live/live_multisplit.hpp"

#include "proptests/live/live_contracts.hpp"
#include "proptests/live/live_delays.hpp"
#include "proptests/live/split_memory.hpp"
#include "traces/testing/value_fixtures.hpp"

namespace keyswap::proptests {

namespace {

model::verify::RecordedRun run_of(LiveCase const& live_case, kernels::SplitRecords records) {
    model::verify::RecordedRunSink sink("live");
    sink.write(multisplit_header(live_case));
    sink.write(
        BucketFunctionRecord{0, {}, recorded_function(*live_case.split, live_case.images.size())});
    sink.write(HistogramRecord{{}, GpuId{0}, 0, records.counts, 1, 0});
    sink.write(records.partition);
    for (std::uint64_t bucket = 0; bucket < records.digests.size(); ++bucket) {
        if (records.digests[bucket].count > 0) {
            sink.write(DigestRecord{
                DigestStage::after_step, GpuId{0}, {1, bucket}, records.digests[bucket], 1});
        }
    }
    return sink.run();
}

template <class Word>
std::optional<std::string> split_and_check(kernels::Multisplitter& splitter,
                                           LiveCase const& live_case) {
    ValueType const value_type = live_case.config.value_type;
    SplitMemory<Word> reported(live_case);
    std::vector<Word> const keys = reported.keys;
    auto records = splitter.record_host(reported.arrays, keys.size());
    if (!records) {
        return "the multisplit refused: " + records.error().message;
    }
    LiveOutcome const outcome{run_of(live_case, std::move(*records)),
                              reported.output_images(live_case),
                              testing::unpacked_values(reported.output_values, value_type)};
    if (auto problem = check_outcome(live_case, outcome)) {
        return problem;
    }
    if (reported.starts != outcome.run.partitions.front().starts) {
        return "the starts of the call are not those that it returns";
    }
    SplitMemory<Word> again(live_case);
    if (auto const done = splitter.split_host(again.arrays, keys.size()); !done) {
        return "again, the multisplit refused: " + done.error().message;
    }
    if (auto problem = check_output(live_case,
                                    again.output_images(live_case),
                                    testing::unpacked_values(again.output_values, value_type))) {
        return "again: " + *problem;
    }
    return std::nullopt;
}

} // namespace

kernels::MultisplitOptions multisplit_options(LiveCase const& live_case) {
    kernels::MultisplitOptions options;
    options.key_type = live_case.config.key_type;
    options.direction = live_case.config.direction;
    options.value_type = live_case.config.value_type;
    options.function = live_case.split->function;
    options.method = kernels::parse_multisplit_method(live_case.split->method).value();
    if (live_case.split->slice_count != 0) {
        options.slice_count = live_case.split->slice_count;
    }
    options.device = live_case.devices.front();
    return options;
}

std::vector<std::string> gpu_methods(LiveCase const& live_case) {
    std::vector<std::string> names;
    for (kernels::MultisplitMethod const method :
         kernels::supported_methods(multisplit_options(live_case))) {
        names.emplace_back(kernels::info_of(method).name);
    }
    return names;
}

std::optional<std::string> check_with(kernels::Multisplitter& splitter, LiveCase const& live_case) {
    StreamDelays const delays(live_case);
    return finding_of([&] {
        return key_bits(live_case.config.key_type) == 32
                   ? split_and_check<std::uint32_t>(splitter, live_case)
                   : split_and_check<std::uint64_t>(splitter, live_case);
    });
}

std::optional<std::string> check_split_alone(LiveCase const& live_case) {
    auto splitter =
        kernels::Multisplitter::create(multisplit_options(live_case), live_case.images.size());
    if (!splitter) {
        return std::nullopt;
    }
    return check_with(*splitter, live_case);
}

std::optional<std::string> check_refusal(kernels::Multisplitter& splitter,
                                         std::uint64_t count_max) {
    return check_too_many(count_max + 1,
                          "splitter",
                          [&](kernels::MultisplitArrays const& arrays, std::uint64_t count) {
                              return splitter.split_host(arrays, count).has_value();
                          });
}

} // namespace keyswap::proptests
