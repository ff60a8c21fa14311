import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of a client of Sensibo's API with JUnit 5. They need the command `sensibus`, or the one that SENSIBUS names. */
class ClientTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Process server;
    /** The line that says where the server is. */
    private static String ready;

    @BeforeAll
    static void start() throws Exception {
        String program = System.getenv().getOrDefault("SENSIBUS", "sensibus");
        // The server ends with this process, however that ends.
        server = new ProcessBuilder(program, "test-server", "--json")
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        ready = new BufferedReader(new InputStreamReader(server.getInputStream())).readLine();
    }

    @AfterAll
    static void stop() {
        server.destroy();
    }

    @BeforeEach
    void reset() throws Exception {
        control("POST", "/reset", "{}");
    }

    /** A member of the line; a project would use its JSON library. */
    private static String member(String name) {
        var matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(ready);
        assertTrue(matcher.find(), ready);
        return matcher.group(1);
    }

    private static HttpResponse<String> send(String method, String address, String token, String body)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create(address)).header("Authorization", "Bearer " + token)
                .method(method, BodyPublishers.ofString(body)).build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    private static String control(String method, String path, String body) throws Exception {
        var answer = send(method, member("controlUrl") + path, member("controlToken"), body);
        assertTrue(answer.statusCode() < 300, answer.body());
        return answer.body();
    }

    /** The client that is tested. */
    private static HttpResponse<String> ask(String method, String path, String body) throws Exception {
        return send(method, member("url") + "/api/" + path, member("key"), body);
    }

    @Test
    void reportsAnErrorOfTheCloud() throws Exception {
        control("POST", "/faults", "{\"fault\":\"cloud-error\",\"status\":503,\"times\":1}");
        assertEquals(503, ask("GET", "v2/pods/VMe9BNPT", "").statusCode());
    }

    @Test
    void timerSwitchesOffAfterThreeHours() throws Exception {
        ask("PATCH", "v2/pods/VMe9BNPT/acStates/on", "{\"newValue\":true}");
        ask("PUT", "v1/pods/VMe9BNPT/timer/", "{\"minutesFromNow\":180,\"acState\":{\"on\":false}}");
        control("PATCH", "/clock", "{\"advance\":\"3h\"}");
        assertTrue(ask("GET", "v2/pods/VMe9BNPT?fields=acState", "").body().contains("\"on\":false"));
        var found = control("POST", "/requests/matching", "{\"path\":\"/api/v1/pods/*/timer\"}");
        assertTrue(found.contains("\"count\":1"), found);
    }
}
