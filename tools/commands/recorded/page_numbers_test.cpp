// Recomputes the numbers of a page: tasks and rates of a simulation from its Chrome trace, numbers
// of a recorded run from its records.

#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/format/trace_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace keyswap::tools {
namespace {

using Words = std::vector<std::string>;
using Row = std::vector<std::string>;

/// Rows of a CSV table with quoted fields, including its header.
std::vector<Row> csv_rows(std::string const& text) {
    std::vector<Row> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        Row row(1);
        bool quoted = false;
        for (char const letter : line) {
            if (letter == '"') {
                quoted = !quoted;
            } else if (letter == ',' && !quoted) {
                row.emplace_back();
            } else {
                row.back() += letter;
            }
        }
        rows.push_back(row);
    }
    return rows;
}

/// Expects equality to about six digits.
void expect_near(double one, double other) {
    EXPECT_NEAR(one, other, 1e-5 * std::max({1e-6, std::abs(one), std::abs(other)}));
}

Json section_of(Json const& page, std::string const& kind) {
    for (Json const& section : page["sections"]) {
        if (section["kind"] == kind) {
            return section;
        }
    }
    ADD_FAILURE() << "no section of the kind " << kind;
    return {};
}

/// Events of a kind: "X" for a task, "C" a rate, "M" a name, "f" the end of an arrow.
std::vector<Json> events_of(Json const& trace, std::string const& kind) {
    std::vector<Json> found;
    for (Json const& event : trace["traceEvents"]) {
        if (event["ph"] == kind) {
            found.push_back(event);
        }
    }
    return found;
}

struct Drawn {
    int stream = 0;
    std::string phase;
    int pass = 0;
    double begin_ms = 0;
    double end_ms = 0;
    std::uint64_t size_bytes = 0;
    int destination = -1; ///< GPU index
};

/// Tasks of a trace with nonzero duration, by stream.
std::vector<Drawn> drawn_of(Json const& trace) {
    std::vector<Drawn> all;
    bool arrow = false; // the last task has an arrow
    for (Json const& event : trace["traceEvents"]) {
        if (event["ph"] == "X") {
            Json const& args = event["args"];
            double const begin = event["ts"].get<double>() / 1e3;
            all.push_back({event["tid"],
                           event["name"],
                           args["pass"],
                           begin,
                           begin + event["dur"].get<double>() / 1e3,
                           args.value("bytes", std::uint64_t{0})});
            arrow = event["dur"].get<double>() > 0;
        } else if (event["ph"] == "f" && arrow) {
            all.back().destination = event["pid"];
        }
    }
    std::erase_if(all, [](Drawn const& task) { return task.begin_ms == task.end_ms; });
    std::ranges::stable_sort(all, {}, &Drawn::stream);
    return all;
}

void expect_tasks(Json const& shown, Json const& trace) {
    std::vector<Drawn> const tasks = drawn_of(trace);
    EXPECT_EQ(shown["exact_count"], tasks.size());
    ASSERT_EQ(shown["rows"].size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        Json const& row = shown["rows"][i];
        Drawn const& task = tasks[i];
        EXPECT_EQ(row[0], task.stream);
        EXPECT_EQ(shown["phases"][row[1].get<std::size_t>()], task.phase);
        EXPECT_EQ(row[2], task.pass);
        expect_near(row[3], task.begin_ms);
        expect_near(row[4], task.end_ms);
        EXPECT_EQ(row[5], task.size_bytes);
        EXPECT_EQ(row[6], task.destination);
        EXPECT_EQ(row[7], 1);
        ASSERT_FALSE(::testing::Test::HasFailure()) << row.dump();
    }
    for (Json const& name : events_of(trace, "M")) {
        if (name["name"] == "thread_name") {
            Json const& stream = shown["streams"][name["tid"].get<std::size_t>()];
            EXPECT_EQ(stream["name"], name["args"]["name"]);
            EXPECT_EQ(stream["gpu"].is_null(),
                      !stream["name"].get<std::string>().starts_with("GPU"));
            EXPECT_TRUE(stream["gpu"].is_null() || stream["gpu"] == name["pid"]);
        }
    }
}

/// For the six busiest links, each of 300 time slices shows the maximum rate within it.
void expect_rates(Json const& shown, Json const& simulated, Json const& trace) {
    double const total_ms = simulated["total_ms"];
    std::map<std::string, std::vector<std::pair<double, double>>> samples; // [link] (ms, GB/s)
    for (Json const& event : events_of(trace, "C")) {
        samples[event["name"]].emplace_back(event["ts"].get<double>() / 1e3, event["args"]["GB/s"]);
    }
    // A link that is saturated for less than 1 % of the time is not a limit.
    auto const limits_ms = [&](Json const& link) {
        double const saturated_ms = link["saturated_ms"];
        return saturated_ms >= 0.01 * total_ms ? saturated_ms : 0.0;
    };
    std::vector<double> saturated;
    std::ranges::transform(simulated["links"], std::back_inserter(saturated), limits_ms);
    std::ranges::sort(saturated, std::greater<>{});
    ASSERT_EQ(shown.size(), std::min<std::size_t>(6, samples.size()));
    for (std::size_t i = 0; i < shown.size(); ++i) {
        Json const& row = shown[i];
        auto const link = std::ranges::find(
            simulated["links"], row["name"], [](Json const& each) { return each["name"]; });
        ASSERT_NE(link, simulated["links"].end());
        EXPECT_EQ(limits_ms(*link), saturated[i]);
        expect_near(link->at("capacity_GBps"), row["capacity_GBps"]);
        auto const& of_link = samples[row["name"]];
        ASSERT_EQ(row["points"].size(), 300U);
        for (std::size_t part = 0; part < 300; ++part) {
            double const begin = total_ms * static_cast<double>(part) / 300;
            double const end = total_ms * static_cast<double>(part + 1) / 300;
            double certain_rate = 0; // maximum of the rates that certainly occur in the slice
            double at_most = 0;
            double const edge = 1e-9 * total_ms;
            for (std::size_t each = 0; each < of_link.size(); ++each) {
                auto const [since, rate] = of_link[each];
                double const until = each + 1 < of_link.size() ? of_link[each + 1].first : total_ms;
                if (since < end - edge && until > begin + edge) {
                    certain_rate = std::max(certain_rate, rate);
                }
                if (since <= end + edge && until >= begin - edge) {
                    at_most = std::max(at_most, rate);
                }
            }
            EXPECT_NEAR(row["points"][part][0].get<double>(), begin, edge);
            EXPECT_GE(row["points"][part][1].get<double>(), certain_rate - 1e-5);
            EXPECT_LE(row["points"][part][1].get<double>(), at_most + 1e-5);
        }
    }
}

/// A simulation and its key options.
struct Simulated {
    std::string platform;
    std::string algorithm;
    Words keys;
};

class PageNumbers : public FolderTest {
  protected:
    /// Output of a command with --json.
    static Json printed_json(Words words) {
        words.emplace_back("--json");
        ProgramRun const run = run_program(words);
        EXPECT_EQ(run.code, ExitCode::fine) << run.errors;
        return Json::parse(run.output, nullptr, false);
    }

    void expect_page_of(Simulated const& one) const {
        SCOPED_TRACE(one.algorithm + " on " + one.platform);
        Words words{"simulate", "--platform", one.platform, "--algorithm", one.algorithm};
        words.insert(words.end(), one.keys.begin(), one.keys.end());
        Words tracing = words;
        tracing.insert(tracing.end(), {"--trace", path("simulate.json"), "--force"});
        Json const simulated = printed_json(tracing);
        words.front() = "report";
        words.insert(words.end(), {"--chrome-trace", path("report.json"), "--force"});
        Json const document = printed_json(words);
        Json const page = section_of(document["page"], "simulation");
        Json const trace = Json::parse(text("simulate.json"));

        expect_tasks(page["tasks"], trace);
        expect_rates(page["rates"], simulated, trace);
        Json const exported = Json::parse(text("report.json"));
        for (char const* const kind : {"X", "C", "s", "f"}) {
            auto const here = events_of(exported, kind);
            auto const there = events_of(trace, kind);
            ASSERT_EQ(here.size(), there.size());
            for (std::size_t i = 0; i < here.size(); ++i) {
                EXPECT_EQ(here[i]["ts"], there[i]["ts"]);
                EXPECT_EQ(here[i]["pid"], there[i]["pid"]);
                Json const args = there[i].value("args", Json());
                for (auto const& [name, value] : args.items()) {
                    EXPECT_EQ(here[i]["args"][name], value) << name;
                }
            }
        }
    }
};

TEST_F(PageNumbers, OfSimulationsAreThoseOfTheChromeTrace) {
    Words const few{"--keys", "20000", "--distribution", "uniform"};
    expect_page_of({"ac922", "rmg-paper", few});
    expect_page_of({"pcie-4gpu", "p2p-merge", {"--keys", "3e8", "--gpus", "0,3"}});
    expect_page_of({"dgx-a100", "het-merge", {"--keys", "1e6", "--type", "f64", "--gpus", "2-5"}});
    expect_page_of({"ac922", "rmg-fast", {"--keys", "1e9", "--values", "32"}});
}

TEST_F(PageNumbers, OfARecordedRunAreThoseOfItsRecords) {
    for (std::string const name : {"2gpus-paper-u64-zipf",
                                   "2gpus-fast-f32-normal-pairs-descending",
                                   "2gpus-p2p-merge-f64-zipf",
                                   "3virtual-fast-zero"}) {
        SCOPED_TRACE(name);
        std::string const file =
            std::string(KEYSWAP_SOURCE_DIR) + "/traces/recorded/" + name + ".trace.zst";
        Json const page = section_of(printed_json({"report",
                                                   file,
                                                   "--tables",
                                                   path("tables"),
                                                   "--matrix",
                                                   path("matrix"),
                                                   "--chrome-trace",
                                                   path("report.json"),
                                                   "--force"})["page"],
                                     "run");
        auto const records = read_trace(file).value();
        auto const& header = std::get<RunHeader>(records.front());
        std::size_t const gpus = header.gpus.size();
        std::vector<std::uint64_t> matrix(gpus * gpus);
        std::uint64_t copies = 0;
        std::uint64_t placements = 0;
        std::vector<std::vector<int>> end_bits(gpus);
        std::vector<PhaseTimeRecord> times;
        for (TraceRecord const& record : records) {
            if (auto const* copy = std::get_if<CopyRecord>(&record)) {
                matrix[copy->source.value * gpus + copy->destination.value] += copy->count;
                copies += copy->source == copy->destination ? 0 : 1;
            } else if (auto const* sort = std::get_if<SortRangeRecord>(&record)) {
                end_bits[sort->gpu.value].push_back(sort->end_bit);
            } else if (auto const* time = std::get_if<PhaseTimeRecord>(&record)) {
                times.push_back(*time);
            } else if (auto const* owner = std::get_if<OwnershipRecord>(&record)) {
                EXPECT_EQ(page["gpus"][owner->gpu.value]["base"], owner->base);
                EXPECT_EQ(page["gpus"][owner->gpu.value]["keys"], owner->count);
            } else if (std::holds_alternative<PlacementRecord>(record)) {
                ++placements;
            }
        }
        std::uint64_t const element_bytes = header.element_bytes();
        EXPECT_EQ(page["element_bytes"], element_bytes);
        EXPECT_EQ(page["keys"], header.key_count);
        EXPECT_EQ(page["gpu_count"], gpus);
        EXPECT_EQ(page["chunk"], (header.key_count + gpus - 1) / gpus);
        EXPECT_EQ(page["copies"], copies);
        EXPECT_EQ(page["matrix"]["keys"], matrix);
        std::string bytes;
        std::string cells = "source_gpu,destination_gpu,keys,size_bytes\n";
        std::uint64_t moved = 0;
        for (std::size_t from = 0; from < gpus; ++from) {
            std::uint64_t sent = 0;
            std::uint64_t received = 0;
            for (std::size_t to = 0; to < gpus; ++to) {
                std::uint64_t const keys = matrix[from * gpus + to];
                sent += to == from ? 0 : keys;
                received += to == from ? 0 : matrix[to * gpus + from];
                bytes += std::to_string(keys * element_bytes) + (to + 1 == gpus ? "\n" : " ");
                cells += std::to_string(from) + "," + std::to_string(to) + "," +
                         std::to_string(keys) + "," + std::to_string(keys * element_bytes) + "\n";
            }
            moved += sent;
            Json const& gpu = page["gpus"][from];
            EXPECT_EQ(gpu["gpu"], from);
            EXPECT_EQ(gpu["number"], header.gpus[from]);
            EXPECT_EQ(gpu["sent"], sent);
            EXPECT_EQ(gpu["received"], received);
            EXPECT_EQ(gpu["sorts"], end_bits[from].size());
            if (!end_bits[from].empty()) {
                EXPECT_EQ(gpu["bits_min"], std::ranges::min(end_bits[from]));
                EXPECT_EQ(gpu["bits_max"], std::ranges::max(end_bits[from]));
            }
        }
        EXPECT_EQ(text("matrix"), bytes);
        EXPECT_EQ(text("tables/matrix.csv"), cells);
        EXPECT_EQ(csv_rows(text("tables/buckets.csv")).size(), 1 + placements);
        double const share =
            100 * static_cast<double>(moved) / static_cast<double>(header.key_count);
        auto const swapped = page["answers"][2].get<std::string>();
        if (gpus == 1 || moved == 0) {
            EXPECT_EQ(swapped, gpus == 1 ? "" : "No keys change GPUs.");
        } else {
            EXPECT_EQ(swapped,
                      (share > 100
                           ? printed("Keys change GPUs %.2f times on average, in ", share / 100)
                           : printed("%.1f %% of the keys change GPUs, in ", share)) +
                          counted(copies, "copy", "copies") + ".");
        }
        std::string lines = "gpu,phase,pass,begin_ns,end_ns\n";
        auto const drawn = events_of(Json::parse(text("report.json")), "X");
        ASSERT_EQ(page["times"].size(), times.size());
        ASSERT_EQ(drawn.size(), times.size());
        std::int64_t start = 0;
        for (PhaseTimeRecord const& time : times) {
            start = std::min(start, time.begin_ns);
        }
        for (std::size_t i = 0; i < times.size(); ++i) {
            PhaseTimeRecord const& time = times[i];
            std::string const phase(time.phase.text());
            lines += std::to_string(time.gpu.value) + "," + phase + "," +
                     std::to_string(time.pass) + "," + std::to_string(time.begin_ns) + "," +
                     std::to_string(time.end_ns) + "\n";
            Json const& row = page["times"][i];
            EXPECT_EQ(row[0], time.gpu.value);
            EXPECT_EQ(row[1], phase);
            EXPECT_EQ(row[2], time.pass);
            expect_near(row[3], static_cast<double>(time.begin_ns - start) / 1e6);
            expect_near(row[4], static_cast<double>(time.end_ns - start) / 1e6);
            EXPECT_EQ(drawn[i]["pid"], time.gpu.value);
            EXPECT_EQ(drawn[i]["tid"], 0);
            EXPECT_EQ(drawn[i]["name"], phase);
            EXPECT_EQ(drawn[i]["args"]["pass"], time.pass);
            expect_near(drawn[i]["ts"], static_cast<double>(time.begin_ns) / 1e3);
            expect_near(drawn[i]["dur"], static_cast<double>(time.end_ns - time.begin_ns) / 1e3);
        }
        EXPECT_EQ(text("tables/times.csv"), lines);
    }
}

} // namespace
} // namespace keyswap::tools
