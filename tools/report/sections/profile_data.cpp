#include "tools/report/sections/profile_data.hpp"

#include "tools/report/sections/run_data.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::tools {

namespace {

constexpr double ns_per_millisecond = 1e6;
/// If there are more spans, close ones of a row are drawn as one.
constexpr std::size_t spans_max = 12'000;
/// Further names appear only in exports.
constexpr std::size_t names_max = 1000;

double to_ms(std::int64_t time_ns) {
    return static_cast<double>(time_ns) / ns_per_millisecond;
}

/// One or several spans of a row, drawn as one.
struct DrawnSpan {
    ProfileSpan span;
    std::uint64_t spans = 1;
    bool mixed = false; ///< has several names
};

/// \param near_ns merges spans of a row that end within this time of the first one's begin
std::vector<DrawnSpan> drawn_spans(Profile const& profile, std::int64_t near_ns) {
    std::vector<DrawnSpan> drawn;
    for (ProfileSpan const& span : profile.spans) {
        bool const join = near_ns > 0 && !drawn.empty() && drawn.back().span.track == span.track &&
                          span.end_ns - drawn.back().span.begin_ns <= near_ns;
        if (!join) {
            drawn.push_back({span});
            continue;
        }
        DrawnSpan& last = drawn.back();
        bool const same_route = last.span.route && span.route &&
                                last.span.route->source == span.route->source &&
                                last.span.route->destination == span.route->destination;
        last.mixed |= last.span.name != span.name;
        last.span.end_ns = std::max(last.span.end_ns, span.end_ns);
        last.span.size_bytes += span.size_bytes;
        last.span.route = same_route ? last.span.route : std::nullopt;
        last.spans += 1;
    }
    return drawn;
}

/// Has the form of a simulation's tasks, so that one chart draws both.
Json tasks_data(Profile const& profile) {
    auto drawn = drawn_spans(profile, 0);
    // Two remaining neighbours together exceed near_ns, so the loop terminates.
    constexpr std::int64_t steps = 4096;
    for (std::int64_t near_ns = std::max<std::int64_t>(1, profile.duration_ns() / steps);
         drawn.size() > spans_max && near_ns < 2 * profile.duration_ns();
         near_ns *= 2) {
        drawn = drawn_spans(profile, near_ns);
    }
    Json names(profile.names);
    std::size_t const several = names.size();
    names.push_back("several");
    Json rows = Json::array();
    for (DrawnSpan const& one : drawn) {
        auto const& route = one.span.route;
        rows.push_back({one.span.track,
                        one.mixed ? several : one.span.name,
                        0,
                        to_ms(one.span.begin_ns),
                        to_ms(one.span.end_ns),
                        one.span.size_bytes,
                        route ? Json(route->destination) : Json(-1),
                        one.spans,
                        route ? Json(route->source) : Json(-1)});
    }
    Json streams = Json::array();
    for (ProfileTrack const& track : profile.tracks) {
        std::string const gpu = track.gpu ? "GPU " + std::to_string(*track.gpu) + " " : "";
        streams.push_back(
            {{"name", gpu + track.name}, {"gpu", track.gpu ? Json(*track.gpu) : Json()}});
    }
    return {{"streams", streams},
            {"phases", names},
            {"rows", rows},
            {"exact_count", profile.spans.size()}};
}

/// Totals of all spans of one name.
struct Sum {
    std::uint64_t spans = 0;
    double duration_ms = 0.0;
    std::uint64_t size_bytes = 0;
    SpanKind kind = SpanKind::kernel;
};

std::vector<Sum> sums_by_name(Profile const& profile) {
    std::vector<Sum> sums(profile.names.size());
    for (ProfileSpan const& span : profile.spans) {
        Sum& sum = sums[span.name];
        sum.spans += 1;
        sum.duration_ms += to_ms(span.end_ns - span.begin_ns);
        sum.size_bytes += span.size_bytes;
        sum.kind = span.kind;
    }
    return sums;
}

char const* kind_name(SpanKind kind) {
    switch (kind) {
    case SpanKind::kernel:
        return "kernel";
    case SpanKind::copy:
        return "copy";
    case SpanKind::fill:
        return "fill";
    case SpanKind::range:
        break;
    }
    return "NVTX range";
}

/// Names by descending total duration.
std::vector<std::uint32_t> ranked(std::vector<Sum> const& sums) {
    std::vector<std::uint32_t> order(sums.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, std::greater<>{}, [&sums](std::uint32_t name) { return sums[name].duration_ms; });
    return order;
}

Json names_data(Profile const& profile, std::vector<Sum> const& sums) {
    Json rows = Json::array();
    for (std::uint32_t const name : ranked(sums)) {
        if (rows.size() < names_max && sums[name].spans > 0) {
            rows.push_back({profile.names[name],
                            kind_name(sums[name].kind),
                            sums[name].spans,
                            sums[name].duration_ms,
                            sums[name].size_bytes});
        }
    }
    return rows;
}

/// Busy times of a GPU; overlaps count once.
struct GpuTimes {
    std::int64_t kernels_ns = 0;
    std::int64_t copies_ns = 0; ///< copies and fills
    std::int64_t busy_ns = 0;
};

/// Length of the union of intervals.
std::int64_t covered(std::vector<std::pair<std::int64_t, std::int64_t>> spans) {
    std::ranges::sort(spans);
    std::int64_t total = 0;
    std::int64_t reached = 0; // all begins are >= 0
    for (auto const& [begin_ns, end_ns] : spans) {
        total += std::max<std::int64_t>(0, end_ns - std::max(begin_ns, reached));
        reached = std::max(reached, end_ns);
    }
    return total;
}

std::vector<GpuTimes> gpu_times(Profile const& profile) {
    using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;
    std::map<std::uint32_t, Spans> kernels;
    std::map<std::uint32_t, Spans> copies;
    for (ProfileSpan const& span : profile.spans) {
        if (auto const gpu = profile.tracks[span.track].gpu) {
            auto& list = span.kind == SpanKind::kernel ? kernels[*gpu] : copies[*gpu];
            list.emplace_back(span.begin_ns, span.end_ns);
        }
    }
    std::vector<GpuTimes> times;
    for (std::uint32_t const gpu : profile.gpus) {
        Spans both = kernels[gpu];
        both.insert(both.end(), copies[gpu].begin(), copies[gpu].end());
        times.push_back({covered(kernels[gpu]), covered(copies[gpu]), covered(std::move(both))});
    }
    return times;
}

std::string busy_answer(Profile const& profile, std::vector<GpuTimes> const& times) {
    std::int64_t const duration = profile.duration_ns();
    if (times.empty() || duration == 0) {
        return "";
    }
    auto const [least, most] = std::ranges::minmax_element(times, {}, &GpuTimes::busy_ns);
    auto const gpu_of = [&](auto place) {
        return "GPU " +
               std::to_string(profile.gpus[static_cast<std::size_t>(place - times.begin())]);
    };
    auto const share = [duration](std::int64_t busy_ns) {
        return printed("%.1f %%",
                       100.0 * static_cast<double>(busy_ns) / static_cast<double>(duration));
    };
    std::string const text = gpu_of(most) + " is busy for " + share(most->busy_ns) + " of the " +
                             printed("%.4g ms", to_ms(duration)) + " that were recorded";
    if (times.size() > 1 && least->busy_ns == most->busy_ns) {
        return "Each GPU" + text.substr(gpu_of(most).size()) + ".";
    }
    return times.size() == 1 ? text + "."
                             : text + ", the longest; " + gpu_of(least) + " for " +
                                   share(least->busy_ns) + ", the shortest.";
}

std::string longest_answer(Profile const& profile, std::vector<Sum> const& sums) {
    for (std::uint32_t const name : ranked(sums)) {
        Sum const& sum = sums[name];
        if (sum.kind != SpanKind::range && sum.duration_ms > 0.0) {
            return "Most of the GPUs' time goes into the " +
                   std::string(sum.kind == SpanKind::kernel ? "kernel '" : "work '") +
                   profile.names[name] + "': " + printed("%.4g ms", sum.duration_ms) + " in " +
                   grouped_count(sum.spans) + (sum.spans == 1 ? " call." : " calls.");
        }
    }
    return "There is no work of GPUs in the recording.";
}

std::string copies_answer(Profile const& profile, std::vector<std::uint64_t> const& matrix) {
    auto const most = std::ranges::max_element(matrix);
    if (most == matrix.end() || *most == 0) {
        return "No copies go from one GPU to another.";
    }
    auto const cell = static_cast<std::size_t>(most - matrix.begin());
    auto const total = std::accumulate(matrix.begin(), matrix.end(), std::uint64_t{0});
    std::size_t const size = profile.gpus.size();
    return size_text(static_cast<double>(total)) + " are copied between GPUs, the most from GPU " +
           std::to_string(profile.gpus[cell / size]) + " to GPU " +
           std::to_string(profile.gpus[cell % size]) + ": " +
           size_text(static_cast<double>(*most)) + ".";
}

Json configuration(Profile const& profile) {
    Json rows = Json::array();
    rows.push_back({"File", profile.file});
    rows.push_back({"Recorded by", profile.made_by.empty() ? "not recorded" : profile.made_by});
    for (std::uint32_t const gpu : profile.gpus) {
        auto const known = profile.gpu_names.find(gpu);
        rows.push_back({"GPU " + std::to_string(gpu),
                        known == profile.gpu_names.end() ? "not recorded" : known->second});
    }
    rows.push_back({"Recorded", grouped_count(profile.spans.size()) + " records"});
    return rows;
}

} // namespace

Json profile_data(Profile const& profile) {
    auto const sums = sums_by_name(profile);
    auto const times = gpu_times(profile);
    auto const matrix = profile.matrix();
    Json busy = Json::array();
    for (std::size_t gpu = 0; gpu < times.size(); ++gpu) {
        busy.push_back({profile.gpus[gpu],
                        to_ms(times[gpu].kernels_ns),
                        to_ms(times[gpu].copies_ns),
                        to_ms(times[gpu].busy_ns)});
    }
    Json answers = Json::array({busy_answer(profile, times),
                                longest_answer(profile, sums),
                                copies_answer(profile, matrix)});
    for (std::string const& note : profile.notes) {
        answers.push_back(note);
    }
    return {{"kind", "profile"},
            {"title", profile.title},
            {"answers", answers},
            {"configuration", configuration(profile)},
            {"gpus", profile.gpus},
            {"gpu_count", profile.gpus.size()},
            {"total_ms", to_ms(profile.duration_ns())},
            {"busy", busy},
            {"names", names_data(profile, sums)},
            {"matrix", matrix_data(matrix, profile.gpus.size())},
            {"tasks", tasks_data(profile)}};
}

} // namespace keyswap::tools
