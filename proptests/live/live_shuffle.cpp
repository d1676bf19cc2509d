#include "proptests/live/live_shuffle.hpp"

#include "model/partition/record_multisplit.hpp"
#include "proptests/live/live_contracts.hpp"
#include "proptests/live/live_delays.hpp"
#include "proptests/live/live_multisplit.hpp"
#include "proptests/live/split_memory.hpp"
#include "traces/testing/value_fixtures.hpp"

#include <utility>

namespace keyswap::proptests {

namespace {

model::verify::RecordedRun run_of(LiveCase const& live_case, kernels::ShuffleRecords records) {
    model::verify::RecordedRunSink sink("live");
    sink.write(multisplit_header(live_case));
    sink.write(
        BucketFunctionRecord{0, {}, recorded_function(*live_case.split, live_case.images.size())});
    for (std::uint32_t gpu = 0; gpu < records.splits.size(); ++gpu) {
        kernels::SplitRecords& split = records.splits[gpu];
        split.partition.gpu = GpuId{gpu};
        sink.write(HistogramRecord{{}, GpuId{gpu}, 0, split.counts, 1, 0});
        sink.write(split.partition);
        for (std::uint64_t bucket = 0; bucket < split.digests.size(); ++bucket) {
            if (split.digests[bucket].count > 0) {
                sink.write(DigestRecord{
                    DigestStage::after_step, GpuId{gpu}, {1, bucket}, split.digests[bucket], 1});
            }
        }
    }
    kernels::ShuffleReport& report = records.report;
    model::record_exchange(
        {std::move(report.placements), std::move(report.ownership), std::move(report.copies)},
        records.arrivals,
        sink);
    return sink.run();
}

template <class Word>
std::optional<std::string> shuffle_and_check(kernels::Shuffler& shuffler,
                                             LiveCase const& live_case) {
    ValueType const value_type = live_case.config.value_type;
    SplitMemory<Word> reported(live_case);
    auto records = shuffler.record_host(reported.arrays, reported.keys.size());
    if (!records) {
        return "the shuffle refused: " + records.error().message;
    }
    if (reported.starts != records->report.starts) {
        return "the starts of the call are not those that it returns";
    }
    LiveOutcome const outcome{run_of(live_case, std::move(*records)),
                              reported.output_images(live_case),
                              testing::unpacked_values(reported.output_values, value_type)};
    if (auto problem = check_outcome(live_case, outcome)) {
        return problem;
    }
    SplitMemory<Word> again(live_case);
    if (auto const done = shuffler.shuffle_host(again.arrays, again.keys.size()); !done) {
        return "again, the shuffle refused: " + done.error().message;
    }
    if (auto problem = check_output(live_case,
                                    again.output_images(live_case),
                                    testing::unpacked_values(again.output_values, value_type))) {
        return "again: " + *problem;
    }
    return std::nullopt;
}

} // namespace

kernels::ShuffleOptions shuffle_options(LiveCase const& live_case) {
    kernels::ShuffleOptions options;
    static_cast<kernels::MultisplitOptions&>(options) = multisplit_options(live_case);
    options.devices = live_case.devices;
    return options;
}

std::uint64_t chunk_size(LiveCase const& live_case, std::uint64_t key_count) {
    return (key_count + live_case.devices.size() - 1) / live_case.devices.size();
}

std::optional<std::string> check_with(kernels::Shuffler& shuffler, LiveCase const& live_case) {
    StreamDelays const delays(live_case);
    return finding_of([&] {
        return key_bits(live_case.config.key_type) == 32
                   ? shuffle_and_check<std::uint32_t>(shuffler, live_case)
                   : shuffle_and_check<std::uint64_t>(shuffler, live_case);
    });
}

std::optional<std::string> check_shuffle_alone(LiveCase const& live_case) {
    auto shuffler = kernels::Shuffler::create(shuffle_options(live_case),
                                              chunk_size(live_case, live_case.images.size()));
    if (!shuffler) {
        return std::nullopt;
    }
    return check_with(*shuffler, live_case);
}

std::optional<std::string>
check_refusal(kernels::Shuffler& shuffler, LiveCase const& live_case, std::uint64_t count_max) {
    return check_too_many((chunk_size(live_case, count_max) + 1) * live_case.devices.size(),
                          "shuffler",
                          [&](kernels::MultisplitArrays const& arrays, std::uint64_t count) {
                              return shuffler.shuffle_host(arrays, count).has_value();
                          });
}

} // namespace keyswap::proptests
