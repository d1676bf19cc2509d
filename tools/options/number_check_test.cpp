#include "tools/options/number_check.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace keyswap::tools {
namespace {

/// A program whose subcommand has one option of each numeric type.
struct Program {
    CLI::App app;
    std::uint64_t seed = 1;
    std::optional<std::uint32_t> ppm;
    int change = 0;
    double limit = 0;
    std::vector<double> parameters;

    Program() {
        CLI::App& command = *app.add_subcommand("run");
        command.add_option("--seed", seed);
        command.add_option("--ppm", ppm);
        command.add_option("--change", change);
        command.add_option("--limit", limit)->check(CLI::Range(0.0, 10.0));
        command.add_option("--parameters", parameters)->delimiter(',');
        check_numbers(app);
    }
    /// True if parsing accepts the value.
    bool takes(std::string const& option, std::string const& value) {
        try {
            app.parse("run " + option + "=" + value);
        } catch (CLI::ParseError const&) {
            return false;
        }
        return true;
    }
};

TEST(NumberCheck, TakesDecimalNumbers) {
    Program program;
    EXPECT_TRUE(program.takes("--seed", "18446744073709551615"));
    EXPECT_EQ(program.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_TRUE(program.takes("--ppm", "010"));
    EXPECT_EQ(program.ppm, 10U);
    EXPECT_TRUE(program.takes("--ppm", "0"));
    EXPECT_TRUE(program.takes("--change", "-07"));
    EXPECT_EQ(program.change, -7);
    EXPECT_TRUE(program.takes("--limit", "1e-3"));
    EXPECT_EQ(program.limit, 1e-3);
    EXPECT_TRUE(program.takes("--parameters", "0.5,01,2e1"));
    EXPECT_EQ(program.parameters, (std::vector<double>{0.5, 1, 20}));
}

TEST(NumberCheck, RefusesWhatIsNoneOrDoesNotFit) {
    for (auto const& [option, value] :
         std::vector<std::pair<std::string, std::string>>{{"--seed", "-1"},
                                                          {"--seed", "99999999999999999999"},
                                                          {"--seed", "0x10"},
                                                          {"--seed", "1.5"},
                                                          {"--seed", "many"},
                                                          {"--ppm", "4294967296"},
                                                          {"--change", "2147483648"},
                                                          {"--limit", "nan"},
                                                          {"--limit", "inf"},
                                                          {"--limit", "1e999"},
                                                          {"--limit", "1,5"},
                                                          {"--limit", "11"},
                                                          {"--parameters", "0.5,nan"}}) {
        Program program;
        EXPECT_FALSE(program.takes(option, value)) << option << ' ' << value;
    }
}

} // namespace
} // namespace keyswap::tools
