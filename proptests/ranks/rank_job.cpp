#include "proptests/ranks/rank_job.hpp"

#include "model/keys/key_order.hpp"
#include "model/keys/materialized_source.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/shares_sort.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "proptests/ranks/rank_team.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/format/trace_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <ostream>
#include <type_traits>
#include <utility>

namespace keyswap::proptests {

namespace {

using Json = nlohmann::json;
using model::NoValue;
using model::verify::RecordedRun;
using model::verify::RecordedRunSink;

RankJob parse_job(std::string const& text) {
    Json const json = Json::parse(text);
    RankJob job;
    job.algorithm = json.at("algorithm");
    job.value_bits = json.at("value_bits");
    job.shares = json.at("shares").get<std::vector<std::uint64_t>>();
    auto sort_case = parse_sort_case(json.at("case").dump(), "job");
    KEYSWAP_EXPECTS(sort_case.has_value());
    job.sort_case = std::move(*sort_case);
    return job;
}

/// Formats the records as lines of a trace.
std::string trace_text(RecordedRun const& run) {
    std::string text;
    for (TraceRecord const& record : model::verify::records_of(run)) {
        text += encode_line(record, run.header.version);
    }
    return text;
}

RecordedRun parse_trace_text(std::string_view text) {
    RecordedRunSink sink("rank");
    int version = 1;
    while (!text.empty()) {
        auto const end = text.find('\n');
        auto const line = decode_line(text.substr(0, end), version);
        KEYSWAP_EXPECTS(line.has_value());
        auto const& record = std::get<TraceRecord>(*line);
        if (auto const* const header = std::get_if<RunHeader>(&record)) {
            version = header->version;
        }
        sink.write(record);
        text.remove_prefix(end + 1);
    }
    return std::move(sink.run());
}

std::string to_text(RankResult const& result) {
    Json json;
    json["failure"] = result.failure;
    if (result.failure.empty()) {
        json["images"] = result.images;
        json["values"] = result.values;
        json["trace"] = trace_text(result.records);
    }
    return json.dump();
}

RankResult failed(std::string failure) {
    RankResult result;
    result.failure = std::move(failure);
    return result;
}

/// Keys of a case, with their input indices as values.
template <class Image, class Value>
model::RankKeys<Image, Value> keys_of(SortCase const& sort_case, model::IndexRange range) {
    auto keys = model::RankKeys<Image, Value>::of_size(range.size());
    for (std::uint64_t i = 0; i < range.size(); ++i) {
        keys.keys[i] = static_cast<Image>(sort_case.images[range.begin + i]);
        if constexpr (!std::is_same_v<Value, NoValue>) {
            keys.values[i] = static_cast<Value>(range.begin + i);
        }
    }
    return keys;
}

template <class Image, class Value>
RankResult result_of(model::RankKeys<Image, Value> const& owned, RecordedRun records) {
    RankResult result;
    result.images.assign(owned.keys.begin(), owned.keys.end());
    if constexpr (!std::is_same_v<Value, NoValue>) {
        result.values.assign(owned.values.begin(), owned.values.end());
    }
    result.records = std::move(records);
    return result;
}

/// Begins a run's records: header and plan.
void begin(TraceSink& sink,
           RankJob const& job,
           model::Algorithm const& algorithm,
           model::SortPlan const& plan) {
    RunHeader header = model::header_of(job.sort_case.config, algorithm.name);
    header.version = plan.trace_version();
    sink.write(header);
    plan.record(sink);
}

template <class Image, class Value>
RankResult
sort_own_share(model::Communicator& ranks, RankJob const& job, model::Algorithm const& algorithm) {
    auto const shares = model::ranges_of(job.shares);
    RecordedRunSink sink("rank");
    model::RankRecords records(sink, GpuId{ranks.rank()});
    auto sorted = model::sort_shares(
        ranks,
        algorithm,
        job.sort_case.config,
        shares,
        keys_of<Image, Value>(job.sort_case, shares[ranks.rank()]),
        [&](model::SortPlan const& plan, MultisetDigest const&) -> Expected<TraceSink*> {
            begin(records, job, algorithm, plan);
            return &records;
        });
    if (!sorted) {
        return failed(sorted.error().message());
    }
    for (VerdictRecord const& verdict : sorted->verdicts) {
        records.write(verdict);
    }
    return result_of(sorted->owned, std::move(sink.run()));
}

template <class Image, class Value>
RankResult sort_all(RankJob const& job, model::Algorithm const& algorithm) {
    auto keys = keys_of<Image, Value>(job.sort_case, {0, job.sort_case.images.size()});
    auto scratch = model::RankKeys<Image, Value>::of_size(keys.keys.size());
    model::MaterializedSource source{std::span<Image const>(keys.keys)};
    auto const plan = algorithm.plan(job.sort_case.config, source);
    if (!plan) {
        return failed(plan.error().message());
    }
    RecordedRunSink sink("one process");
    begin(sink, job, algorithm, **plan);
    model::ReplayMemory<Image, Value> const memory{keys.arrays(), scratch.arrays()};
    if (auto const violation = (*plan)->replay(memory, &sink)) {
        return failed(model::describe(*violation));
    }
    return result_of(keys, std::move(sink.run()));
}

/// Calls `sort` with an image and a value of the job's widths, and with its algorithm.
template <class Sort>
RankResult with_types(RankJob const& job, Sort const& sort) {
    model::Algorithm const& algorithm = **model::find_algorithm(job.algorithm);
    auto const with_value = [&](auto image) {
        switch (job.value_bits) {
        case 0:
            return sort(image, NoValue{}, algorithm);
        case 32:
            return sort(image, std::uint32_t{}, algorithm);
        default:
            return sort(image, std::uint64_t{}, algorithm);
        }
    };
    return key_bits(job.sort_case.config.key_type) == 32 ? with_value(std::uint32_t{})
                                                         : with_value(std::uint64_t{});
}

} // namespace

RankJob evenly_shared(SortCase const& sort_case) {
    RankJob job;
    job.sort_case = sort_case;
    for (model::IndexRange const range :
         model::ranges_of(model::Chunks(sort_case.config.key_count, sort_case.config.gpu_count))) {
        job.shares.push_back(range.size());
    }
    return job;
}

std::string to_text(RankJob const& job) {
    return Json{{"algorithm", job.algorithm},
                {"value_bits", job.value_bits},
                {"shares", job.shares},
                {"case", Json::parse(to_text(job.sort_case))}}
        .dump();
}

void showValue(RankJob const& job, std::ostream& out) {
    out << to_text(job);
}

std::string sort_as_rank(model::Communicator& ranks, std::string const& text) {
    RankJob const job = parse_job(text);
    try {
        return to_text(with_types(
            job, [&]<class Image, class Value>(Image, Value, model::Algorithm const& algorithm) {
                return sort_own_share<Image, Value>(ranks, job, algorithm);
            }));
    } catch (std::exception const& exception) {
        return to_text(failed(exception.what()));
    }
}

RankResult parse_result(std::string const& text) {
    Json const json = Json::parse(text);
    RankResult result = failed(json.at("failure"));
    if (result.failure.empty()) {
        result.images = json.at("images").get<std::vector<std::uint64_t>>();
        result.values = json.at("values").get<std::vector<std::uint64_t>>();
        result.records = parse_trace_text(json.at("trace").get<std::string>());
    }
    return result;
}

std::vector<RankResult> sort_by_ranks(RankJob const& job) {
    std::vector<RankResult> results;
    for (std::string const& text : team().run(job.sort_case.config.gpu_count, to_text(job))) {
        results.push_back(parse_result(text));
    }
    return results;
}

RankResult sort_in_one_process(RankJob const& job) {
    return with_types(
        job, [&]<class Image, class Value>(Image, Value, model::Algorithm const& algorithm) {
            return sort_all<Image, Value>(job, algorithm);
        });
}

} // namespace keyswap::proptests
