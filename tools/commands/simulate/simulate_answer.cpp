#include "tools/commands/simulate/simulate_answer.hpp"

#include "tools/text/memory_text.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/simulation_summary.hpp"
#include "tools/text/table.hpp"
#include "tools/text/text_width.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

constexpr std::size_t lines_most = 25; ///< 24 lines of a terminal, and the command
constexpr std::size_t links_most = 5;  ///< unless all are requested
constexpr std::size_t bar_columns_most = 44;

/// Empty if a flat swap was requested.
std::string swap_sentence(simulator::Simulation const& simulation) {
    std::string const taken(to_string(simulation.request.swap));
    if (!simulation.other_swap) {
        return simulation.request.swap == simulator::SwapOrder::flat ? ""
                                                                     : "Swap: " + taken + ".\n";
    }
    std::string const other(to_string(simulation.other_swap->order));
    auto const& makespan = simulation.other_swap->makespan;
    return "Swap: " + taken + (makespan ? ", the faster one; " : ", since ") + other +
           (makespan ? printed(" takes %.3f ms.\n", simulator::to_milliseconds(*makespan))
                     : std::string(" needs more memory than there is.\n"));
}

/// "Scatter 2 takes place with a probability of 17 % (a few keys decide); its 18.3 ms are
/// not counted." Buckets with equal scatters share a sentence.
std::string uncertain_scatter_sentences(std::vector<simulator::UncertainScatter> const& uncertain) {
    struct Sentence {
        int pass;
        std::string end;
        std::uint64_t buckets;
    };
    std::vector<Sentence> sentences;
    for (simulator::UncertainScatter const& scatter : uncertain) {
        std::string const end =
            formatted(" with a probability of %.0f %% (a few keys decide); its %.3g ms are "
                      "%s.\n",
                      100.0 * scatter.chance,
                      simulator::to_milliseconds(scatter.duration),
                      scatter.chance >= 0.5 ? "counted" : "not counted");
        auto const same = std::ranges::find_if(sentences, [&](Sentence const& sentence) {
            return sentence.pass == scatter.pass && sentence.end == end;
        });
        if (same == sentences.end()) {
            sentences.push_back({scatter.pass, end, 1});
        } else {
            same->buckets += 1;
        }
    }
    std::string text;
    for (Sentence const& sentence : sentences) {
        text +=
            "Scatter " + std::to_string(sentence.pass) + " takes place" +
            (sentence.buckets > 1 ? " in each of " + grouped_count(sentence.buckets) + " buckets"
                                  : "") +
            sentence.end;
    }
    return text;
}

/// "Of 7 samples 2 need more passes; the interval includes that." Empty if all samples need one
/// pass, or all need more.
std::string draw_sentence(simulator::Schedule const& schedule) {
    if (!schedule.other_draw) {
        return "";
    }
    simulator::AlternativeSample const& other = *schedule.other_draw;
    return formatted("Of %d samples %.0f need %s; the interval includes that.\n",
                     other.draws,
                     other.chance * other.draws,
                     schedule.passes == 1 ? "more passes" : "one pass");
}

/// The interval, and the assumption with the largest effect on it.
std::string certainty_text(simulator::Certainty const& certainty) {
    std::string const text =
        "Expect " + interval_text(certainty.low_ms, certainty.high_ms, 3) +
        printed(": the model is off by up to %g %%", 100.0 * certainty.model.error);
    if (certainty.effects.empty()) {
        return text + ".\n";
    }
    simulator::AssumptionEffect const& effect = certainty.effects.front();
    simulator::MachineConstant const& constant = effect.constant;
    std::size_t const count = certainty.effects.size();
    return text + (count == 1 ? "; " : "; of " + counted(count, "assumed constant") + ", ") +
           formatted("%s = %.4g%s %s (%.4g to %.4g: %s%s).\n",
                     printable_text(constant.name).c_str(),
                     constant.value,
                     constant.unit.empty() ? "" : (" " + constant.unit).c_str(),
                     count == 1 ? "is assumed" : "matters most",
                     constant.low(),
                     constant.high(),
                     interval_text(effect.low_ms, effect.high_ms, 4).c_str(),
                     effect.simulated ? "" : ", estimated");
}

/// How the keys are divided if the GPUs cannot hold them all; else empty.
std::string ranges_sentence(simulator::Simulation const& simulation) {
    auto const& ranges = simulation.schedule.ranges;
    if (!ranges) {
        return "";
    }
    return "The GPUs hold " + grouped_count(ranges->keys_max) +
           printed(" keys at once: for %.3f ms they distribute all keys among ",
                   distributed_ms(simulation)) +
           counted(ranges->count, "range") + ", which they then sort one after another.\n";
}

/// Sorting resource: "GPUs 0,1" or "64 threads on the CPUs".
std::string sorters_text(simulator::Machine const& machine,
                         simulator::SimulationRequest const& request) {
    return request.gpus.empty()
               ? counted(static_cast<std::uint64_t>(simulator::cpu_threads_of(machine, request)),
                         "thread") +
                     " on the CPUs"
               : gpu_set_name(request.gpus);
}

/// The simulated load, including the place of the keys.
std::string question_text(simulator::Machine const& machine,
                          simulator::Simulation const& simulation) {
    auto const& request = simulation.request;
    std::string load;
    if (request.config.value_type != ValueType::none) {
        load += " with " + std::string(to_string(request.config.value_type)) + "-bit values";
    }
    auto const places = simulator::key_places(machine.platform, request);
    load += " on " + place_text(places.input) +
            (places.input == places.output ? "" : ", afterwards on " + place_text(places.output));
    std::string const type(to_string(request.config.key_type));
    auto const& fallback = simulation.schedule.fallback;
    auto const& ranges = simulation.schedule.ranges;
    std::string const algorithm = request.algorithm +
                                  (ranges ? " of " + counted(ranges->count, "range") : "") +
                                  (fallback.empty() ? "" : " (" + fallback + ")");
    return formatted("# %s: %s%s, %s, seed %llu, %s of %s (%016llx), profile %s\n",
                     algorithm.c_str(),
                     counted(request.config.key_count, type + " key").c_str(),
                     load.c_str(),
                     distribution_text(request.distribution, request.parameter).c_str(),
                     static_cast<unsigned long long>(request.seed),
                     sorters_text(machine, request).c_str(),
                     printable_text(machine.platform.name).c_str(),
                     static_cast<unsigned long long>(simulator::platform_hash(machine.platform)),
                     printable_text(machine.device.name).c_str());
}

std::string phases_text(simulator::Simulation const& simulation, AnswerLayout const& layout) {
    std::string text =
        formatted("%-22s %12s %12s %12s\n", "phase", "begin ms", "end ms", "takes ms");
    double const total = simulator::to_milliseconds(simulation.timeline.makespan);
    for (PhaseLine const& row : phase_rows(simulation)) {
        double const begin = simulator::to_milliseconds(row.span.begin);
        double const end = simulator::to_milliseconds(row.span.end);
        double const length = simulator::to_milliseconds(row.span.end - row.span.begin);
        std::string const line =
            formatted("%-22s %12.3f %12.3f %12.3f", row.name.c_str(), begin, end, length);
        std::size_t const columns = layout.columns - std::min(layout.columns, line.size() + 2);
        std::string const bar = total > 0.0 ? phase_bar(begin / total,
                                                        length / total,
                                                        std::min(columns, bar_columns_most),
                                                        layout.bars)
                                            : "";
        text += line + (bar.empty() ? "" : "  " + bar) + '\n';
    }
    return text;
}

std::string links_text(std::vector<simulator::ChannelUse> const& links, std::string const& title) {
    Table const table({{title, -40}, {"capacity", 11}, {"peak", 11}, {"mean", 11}});
    std::string text = table.header();
    for (simulator::ChannelUse const& use : links) {
        text += table.row(printable_text(use.name),
                          printed("%.1f", use.capacity_Bps * 1e-9),
                          printed("%.1f", use.peak_Bps * 1e-9),
                          printed("%.1f", use.mean_Bps * 1e-9));
    }
    return links.empty() ? "" : text;
}

} // namespace

std::string answer_text(simulator::Machine const& machine,
                        simulator::Simulation const& simulation,
                        simulator::Certainty const& certainty,
                        AnswerLayout const& layout) {
    auto const& request = simulation.request;
    double const total_ms = simulator::to_milliseconds(simulation.timeline.makespan);
    std::string const rate =
        rate_text(request.config.key_count, request.config.element_bytes(), total_ms);
    std::string text =
        question_text(machine, simulation) + printed("Total: %.3f ms", total_ms) +
        (rate.empty() ? "" : ", " + rate) + ".\n" + certainty_text(certainty) +
        ranges_sentence(simulation) +
        uncertain_scatter_sentences(simulation.schedule.uncertain_scatters) +
        draw_sentence(simulation.schedule) + bottleneck(simulation) + ' ' +
        counted(static_cast<std::uint64_t>(simulation.schedule.passes), "pass", "passes") + ", " +
        counted(simulation.schedule.copies, "copy", "copies") + ", " +
        counted(simulation.schedule.sort_calls, "sort") + ".\n" + swap_sentence(simulation) +
        memory_sentence(simulation.memory) + '\n';
    text += layout.note.empty() ? "" : layout.note + '\n';
    if (request.engine.rate_tolerance > 0.0) {
        text += formatted(
            "Approximate: rates are shared by copies that end within %g of a copy's time.\n",
            request.engine.rate_tolerance);
    }
    if (simulation.schedule.graph.has_trains()) {
        text += "Approximate: copies of each source and destination are simulated as one.\n";
    }
    text = wrapped(text, layout.columns) + '\n' + phases_text(simulation, layout);
    if (layout.links == LinksShown::all) {
        return text + '\n' +
               wrapped(links_text(used_channels(simulation), "link, GB/s"), layout.columns);
    }
    constexpr std::size_t around = 2; // an empty line and the title
    auto const lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + around;
    auto links = busiest_channels(simulation, links_most);
    links.resize(std::min(links.size(), lines_most - std::min(lines_most, lines)));
    return text + (links.empty() ? "" : "\n") +
           wrapped(links_text(links, "busiest links, GB/s"), layout.columns);
}

} // namespace keyswap::tools
