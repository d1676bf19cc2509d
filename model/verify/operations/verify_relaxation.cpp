/// \file Recomputes every round of a shortest-path search on its graph.

#include "model/graphs/delta_stepping.hpp"
#include "model/graphs/graph_generator.hpp"
#include "model/verify/expected/input_lookup.hpp"
#include "model/verify/operations/verify_operation.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/run_checks.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace keyswap::model::verify {

namespace {

Difference in_round(std::uint64_t round, Verdict verdict = Verdict::wrong_execution) {
    return differ(Check::rounds, verdict).at("round " + std::to_string(round));
}

std::string vertices_text(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " vertex" : " vertices");
}

/// Compares the fields of a round in the order in which the search decides them.
void compare_round(RelaxationRecord const& expected,
                   RelaxationRecord const& recorded,
                   Report& report) {
    auto const compare = [&](std::string const& what,
                             std::uint64_t right,
                             std::uint64_t found,
                             std::string const& consequence) {
        if (right != found) {
            report.add(in_round(expected.round)
                           .expect(what + " " + std::to_string(right))
                           .found(std::to_string(found))
                           .implies(consequence));
        }
    };
    compare("pending",
            expected.pending,
            recorded.pending,
            "Vertices are forgotten, or wait more than once.");
    compare("lower",
            expected.lower,
            recorded.lower,
            "The first bucket begins elsewhere: near vertices are passed over or far ones taken.");
    compare("split", expected.split, recorded.split, "Other vertices count as near.");
    auto const [right, found] = std::ranges::mismatch(expected.counts, recorded.counts);
    if (right != expected.counts.end() && found != recorded.counts.end()) {
        report.add(
            in_round(expected.round)
                .expect(vertices_text(*right) + " in bucket " +
                        std::to_string(right - expected.counts.begin()))
                .found(std::to_string(*found))
                .implies("The reorganisation counts or moves vertices into the wrong bucket."));
    }
    compare("frontier",
            expected.frontier,
            recorded.frontier,
            "Vertices are relaxed that should wait, or the other way round.");
    compare("improved",
            expected.improved,
            recorded.improved,
            "A relaxation is lost, or counted twice: distances may remain too long.");
}

/// Orders the records by round; reports duplicate and missing rounds.
std::vector<RelaxationRecord const*> by_round(RecordedRun const& run, Report& report) {
    std::vector<RelaxationRecord const*> rounds(run.relaxations.size(), nullptr);
    for (RelaxationRecord const& record : run.relaxations) {
        if (record.round >= rounds.size()) {
            rounds.resize(record.round + 1, nullptr);
        }
        if (rounds[record.round] != nullptr) {
            report.add(in_round(record.round)
                           .expect("one record")
                           .found("two")
                           .implies("It is unclear which one is right."));
        } else {
            rounds[record.round] = &record;
        }
    }
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        if (rounds[round] == nullptr) {
            report.add(in_round(round, Verdict::incomplete_trace)
                           .expect("a record of the round")
                           .found("none")
                           .implies("This round is not recorded."));
        }
    }
    return rounds;
}

void verify_distances(RecordedRun const& run, SequenceDigest const* expected, Report& report) {
    std::uint64_t const last =
        std::ranges::max_element(run.relaxations, {}, &RelaxationRecord::round)->round;
    for (RelaxationRecord const& record : run.relaxations) {
        bool const is_last = record.round == last;
        if (record.distances.has_value() != is_last) {
            report.add(
                in_round(record.round, is_last ? Verdict::incomplete_trace : Verdict::wrong_plan)
                    .expect(is_last ? "the distances after the last round"
                                    : "distances only after the last round")
                    .found(is_last ? "none" : "some")
                    .implies("What was found is unclear."));
        } else if (is_last && expected != nullptr && *record.distances != *expected) {
            report.add(in_round(record.round)
                           .expect(sequence_text(*expected))
                           .found(sequence_text(*record.distances))
                           .implies("Distances are not the shortest, which Dijkstra's algorithm "
                                    "finds."));
        } else if (is_last && record.distances->count != run.header.key_count) {
            report.add(in_round(record.round)
                           .expect("distances of " + vertices_text(run.header.key_count))
                           .found(std::to_string(record.distances->count))
                           .implies("Vertices have no distance."));
        }
    }
}

/// Compares rounds with each other if the graph is not available.
void verify_sums_of_rounds(std::vector<RelaxationRecord const*> const& rounds, Report& report) {
    for (RelaxationRecord const* const round : rounds) {
        if (round != nullptr && !add_up(round->counts, round->pending)) {
            report.add(in_round(round->round)
                           .expect("counts that sum up to the " + vertices_text(round->pending) +
                                   " that wait")
                           .found("others")
                           .implies("The reorganisation loses or doubles vertices."));
        }
    }
}

struct Search {
    PathMethod method = PathMethod::multisplit;
    std::uint32_t source = 0;
    std::uint32_t delta = 1;
};

Expected<Search> search_of(RunHeader const& header) {
    KEYSWAP_TRY(auto const method, parse_path_method(header.variant).map_error(about("variant")));
    std::uint64_t const source = header.parameters.at("source");
    std::uint64_t const delta = header.parameters.at("delta");
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (delta < 1 || delta > most || source >= std::min(header.key_count, most)) {
        return input_error("parameters",
                           "source " + std::to_string(source) + " and delta " +
                               std::to_string(delta) + " cannot start a search among " +
                               vertices_text(header.key_count),
                           "record the run again");
    }
    return Search{method, static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(delta)};
}

/// The reason why the graph is not available; empty if it is.
std::string why_no_graph(InputRecord const& input, VerifyLimits const& limits) {
    if (limits.records_only) {
        return records_only_reason();
    }
    bool const file = input.distribution == "file";
    std::error_code error;
    if (file && !std::filesystem::is_regular_file(input.file, error)) {
        return "the graph " + input.file + " is not there";
    }
    if (input.generator_version != graph_generator_version) {
        return "the graph is of generator version " + std::to_string(input.generator_version) +
               ", and this program has version " + std::to_string(graph_generator_version);
    }
    return input.distribution.empty() ? "the trace does not say which graph it was" : "";
}

} // namespace

Expected<void>
verify_relaxations(RecordedRun const& run, VerifyLimits const& limits, Report& report) {
    KEYSWAP_TRY(auto const search, search_of(run.header));
    if (run.relaxations.empty()) {
        report.differ(Check::rounds, Verdict::incomplete_trace)
            .expect("records of rounds")
            .found("none")
            .implies("Nothing is known of it.");
        return {};
    }
    report.mark_checked(Check::rounds);
    auto const rounds = by_round(run, report);
    InputRecord const& input = run.header.input;
    if (std::string const reason = why_no_graph(input, limits); !reason.empty()) {
        report.skip(Check::input, reason);
        verify_sums_of_rounds(rounds, report);
        verify_distances(run, nullptr, report);
        return {};
    }
    KEYSWAP_TRY(
        auto const graph,
        load_graph(input.distribution == "file" ? input.file : input.distribution, input.seed));
    report.mark_checked(Check::input);
    if (graph.vertex_count() != run.header.key_count) {
        report.differ(Check::input, Verdict::wrong_input)
            .expect("a graph of " + vertices_text(run.header.key_count))
            .found(std::to_string(graph.vertex_count()))
            .implies("Header and graph are of different runs; nothing else was looked at.");
        return {};
    }
    // One more round than recorded reveals a run that stopped too early.
    auto const expected =
        relax_in_rounds(graph, search.source, search.method, search.delta, rounds.size() + 1);
    for (std::size_t i = 0; i < std::min(rounds.size(), expected.rounds.size()); ++i) {
        if (rounds[i] != nullptr) {
            compare_round(expected.rounds[i], *rounds[i], report);
        }
    }
    if (expected.rounds.size() != rounds.size()) {
        bool const stopped = expected.rounds.size() > rounds.size();
        report.add(in_round(std::min(rounds.size(), expected.rounds.size()))
                       .expect(stopped ? "a round, as vertices wait" : "no round, as none waits")
                       .found(stopped ? "none" : "one")
                       .implies(stopped ? "Vertices keep distances that are too long."
                                        : "The run relaxes what has its distance."));
    }
    auto const distances = distance_digest(dijkstra(graph, search.source));
    verify_distances(run, &distances, report);
    return {};
}

} // namespace keyswap::model::verify
