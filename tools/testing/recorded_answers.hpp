#pragma once

/// \file For tests: what commands answer, put together as one text that is compared with what it
/// was when somebody last looked at it. No line of it says what is right; other tests do.

#include "tools/build/build_info.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"
#include "traces/testing/recorded_text.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::tools {

class RecordedAnswers : public FolderTest {
  protected:
    using Words = std::vector<std::string>;

    RecordedAnswers() {
        put("keys.csv", "7\n3\n7\n1\n9\n");
        put("sorted.csv", "1\n3\n7\n7\n9\n");
        put("unsorted.csv", "1\n7\n3\n7\n9\n");
        put("lost.csv", "1\n3\n7\n7\n7\n");
    }

    /// Runs a line as run_line() does.
    void answer(std::string const& line) { add_run(line, run_line(line)); }

    /// Runs words that may have spaces. \param shown for the text
    void answer(std::string const& shown, Words const& words) {
        add_run(shown, run_program(words));
    }

    /// Runs a command line without a word about it.
    void prepare(std::string const& line) const {
        auto const run = run_line(line);
        EXPECT_NE(run.code, ExitCode::could_not_run) << line << run.errors;
    }

    /// What the page shows, a line for each of its parts; of long lists the beginning.
    void page(std::string const& line) {
        auto const run = run_line(line);
        auto json = Json::parse(run.output, nullptr, false);
        ASSERT_TRUE(json.is_object()) << line << run.errors;
        text_ += "$ keyswap " + line + "\n";
        json["page"].erase("program");
        for (auto& [name, value] : json["page"].items()) {
            shorten(value);
            constexpr std::size_t characters_most = 3'000;
            text_ += name + ": " + masked(value.dump()).substr(0, characters_most) + "\n";
        }
    }

    /// A file that a command has written; of long ones the beginning.
    void file(std::string const& name) {
        constexpr std::size_t lines_most = 40;
        text_ += "< " + name + "\n" + beginning_of(masked(text(name)), lines_most);
    }

    void add(std::string const& line) { text_ += line + "\n"; }

    void expect_as_recorded(std::string const& name) const {
        testing::expect_recorded(KEYSWAP_SOURCE_DIR "/tools/commands/recorded/" + name + ".txt",
                                 text_);
    }

    /// Without what differs from run to run: names of folders, version, times that were measured.
    [[nodiscard]] std::string masked(std::string text) const {
        replace(text, path(""), "@");
        if (!build_commit().empty()) { // else built outside of git
            replace(text, " " + std::string(build_commit()), "");
        }
        replace(text, std::string(build_version()), "VERSION");
        std::string const timed = " on the CPU in ";
        if (std::size_t const at = text.find(timed); at != std::string::npos) {
            text.erase(at, text.find(')', at) + 1 - at);
        }
        static std::regex const checksum(R"(its text \([0-9a-f]{8}\))"); // names the commit
        static std::regex const seconds(R"("seconds": [-+.e0-9]+)");
        static std::regex const folder_of_run("run-[A-Za-z0-9]{6}/");
        static std::regex const times_of_runs(
            R"([-+.e0-9]+ \w+ minimum, [-+.e0-9]+ \w+ median, [-+.e0-9]+ \w+ maximum \([-+.e0-9]+ \w+/s)");
        static std::regex const time_of_phases(
            R"(Partitioned in [.0-9]+ s, sorted in [.0-9]+ s \([.0-9]+ \w+/s)");
        static std::regex const time_of_case(R"(( %) +[.0-9]+\n)");
        text = std::regex_replace(text, checksum, "its text (CHECKSUM)");
        text = std::regex_replace(text, seconds, "\"seconds\": TIME");
        text = std::regex_replace(text, folder_of_run, "run-FOLDER/");
        text = std::regex_replace(text, times_of_runs, "(times)");
        text = std::regex_replace(text, time_of_phases, "Partitioned and sorted in TIME (");
        return std::regex_replace(text, time_of_case, "$1 TIME\n");
    }

  private:
    void add_run(std::string const& shown, ProgramRun const& run) {
        constexpr std::size_t lines_most = 400;
        text_ += "$ keyswap " + shown + "\n" + beginning_of(masked(run.output), lines_most) +
                 masked(run.errors) + "= " + std::to_string(static_cast<int>(run.code)) + "\n";
    }
    static std::string beginning_of(std::string const& text, std::size_t lines_most) {
        auto const lines = testing::lines_of(text);
        std::string shown;
        for (std::size_t i = 0; i < std::min(lines.size(), lines_most); ++i) {
            shown += lines[i].substr(0, 500) + "\n";
        }
        std::size_t const more = lines.size() - std::min(lines.size(), lines_most);
        return shown + (more > 0 ? "... and " + std::to_string(more) + " lines more\n" : "");
    }
    static void shorten(Json& json) {
        constexpr std::size_t items_most = 24;
        if (json.is_array() && json.size() > items_most) {
            json.erase(json.begin() + items_most, json.end());
        }
        for (auto& item : json) {
            if (item.is_structured()) {
                shorten(item);
            }
        }
    }
    static void replace(std::string& text, std::string const& what, std::string const& by) {
        for (std::size_t at = text.find(what); !what.empty() && at != std::string::npos;
             at = text.find(what, at + by.size())) {
            text.replace(at, what.size(), by);
        }
    }

    std::string text_;
};

} // namespace keyswap::tools
