#include "tools/commands/sort/external_trace.hpp"

#include "model/external/external_records.hpp"
#include "tools/output/operation_trace.hpp"

#include <cmath>
#include <cstdint>
#include <string>

namespace keyswap::tools {

namespace {

std::int64_t nanoseconds(double seconds) {
    return std::llround(seconds * 1e9);
}

RunHeader
external_header(InputRecord const& input, ExternalJob const& job, ExternalResult const& result) {
    RunHeader header = operation_header(Operation::external_sort, "");
    job.engine->describe(header);
    header.version = 3;
    header.key_count = result.record_count;
    if (job.is_streamed()) {
        header.parameters[std::string(model::streamed_parameter)] = 1;
    }
    header.key_type = job.layout.key_type;
    header.direction = job.layout.direction;
    header.stability = Stability::stable;
    header.input = input;
    header.input.content = result.digest;
    return header;
}

} // namespace

Expected<void> write_external_trace(TraceWriter& trace,
                                    InputRecord const& input,
                                    ExternalJob const& job,
                                    ExternalResult const& result) {
    trace.write(external_header(input, job, result));
    for (TraceRecord const& record : result.records) {
        trace.write(record);
    }
    auto const partitioned = nanoseconds(result.partition_seconds);
    auto const end = partitioned + nanoseconds(result.sort_seconds);
    trace.write(PhaseTimeRecord{GpuId{0}, PhaseName::of("partition"), 0, 0, partitioned});
    trace.write(PhaseTimeRecord{GpuId{0}, PhaseName::of("sort"), 0, partitioned, end});
    trace.write(VerdictRecord{"sorted", true, ""});
    trace.write(VerdictRecord{"permutation", true, ""});
    return trace.finish();
}

} // namespace keyswap::tools
