// --json prints one document that names the command that made it, and nothing else.

#include "tools/testing/output_cases.hpp"
#include "tools/text/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace keyswap::tools {
namespace {

TEST_F(CommandOutputs, JsonNamesCommandVersionAndConfiguration) {
    for (OutputCase const& one : cases()) {
        if (!one.json) {
            continue;
        }
        auto const outcome = run_program(words_of(one, {"--json"}));
        EXPECT_NE(outcome.code, ExitCode::could_not_run) << one.command << outcome.errors;
        Json const json = Json::parse(outcome.output, nullptr, false);
        ASSERT_TRUE(json.is_object()) << one.command << outcome.output;
        EXPECT_EQ(json.value("command", ""), one.command);
        EXPECT_FALSE(json.value("version", "").empty()) << one.command;
        EXPECT_TRUE(json.contains("config") && json["config"].is_object()) << one.command;
    }
}

// With --json, other files are named on standard error or not at all.
TEST_F(CommandOutputs, JsonIsAllThatIsPrintedThoughFilesAreWrittenToo) {
    for (OutputCase const& one : cases()) {
        Words words = words_of(one, {"--json"});
        for (std::string const& output : one.outputs) {
            words.insert(words.end(), {output, path(one.command + output)});
        }
        if (one.json) {
            auto const outcome = run_program(words);
            EXPECT_NE(outcome.code, ExitCode::could_not_run) << one.command << outcome.errors;
            EXPECT_TRUE(Json::accept(outcome.output)) << one.command << ": " << outcome.output;
        }
    }
}

/// Calls `visit(name, value)` for every member of every object, recursively.
template <class Visit>
void visit_members(Json const& json, Visit const& visit) {
    for (auto const& [name, value] : json.items()) {
        if (json.is_object()) {
            visit(name, value);
        }
        if (value.is_structured()) {
            visit_members(value, visit);
        }
    }
}

TEST_F(CommandOutputs, HashesAreStringsOfSixteenDigitsOrThirtyTwo) {
    for (OutputCase const& one : cases()) {
        if (!one.json) {
            continue;
        }
        Json const json =
            Json::parse(run_program(words_of(one, {"--json"})).output, nullptr, false);
        visit_members(json, [&one](std::string const& name, Json const& value) {
            if (name == "hash" || name.ends_with("_hash")) {
                ASSERT_TRUE(value.is_string()) << one.command << ' ' << name;
                std::string const digits = value.get<std::string>();
                EXPECT_TRUE(digits.size() == 16 || digits.size() == 32) << one.command << digits;
                EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string::npos);
            }
        });
    }
}

} // namespace
} // namespace keyswap::tools
