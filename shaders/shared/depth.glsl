// What a depth camera looks along. Needs settings, depth_cameras and solid.glsl in scope. `precise` where it decides what a pixel sees,
// so that the CPU sees the same.

// t of a point from + t way: m along the viewing axis.
struct Ray {
  vec3 from;
  vec3 way;
};

// An eye and its axes, of length 1, in some frame.
struct View {
  vec3 eye;
  vec3 right;
  vec3 up;
  vec3 ahead;
};

float inner_of(vec3 a, vec3 b) {
  precise float s = a.x * b.x + a.y * b.y + a.z * b.z;
  return s;
}

// The camera in a world.
View view_of(DepthCamera camera, uint world) {
  View own = View(camera.position, rotated(camera.rotation, vec3(0.0, -1.0, 0.0)), rotated(camera.rotation, vec3(0.0, 0.0, 1.0)),
                  rotated(camera.rotation, vec3(1.0, 0.0, 0.0)));
  if (camera.body == no_body)
    return own;
  uint body = world * settings.bodies.count + camera.body;
  vec4 q = bodies[body].motion.rotation;
  precise vec3 eye = bodies[body].motion.position + rotated(q, own.eye);
  return View(eye, rotated(q, own.right), rotated(q, own.up), rotated(q, own.ahead));
}

// In a frame that is turned by q and lies at p.
View in_frame(View view, vec4 q, vec3 p) {
  precise vec3 from = view.eye - p;
  return View(rotated_back(q, from), rotated_back(q, view.right), rotated_back(q, view.up), rotated_back(q, view.ahead));
}

// A place as the eye has it: to the right, up, ahead.
vec3 seen_from(View view, vec3 p) {
  precise vec3 d = p - view.eye;
  return vec3(inner_of(d, view.right), inner_of(d, view.up), inner_of(d, view.ahead));
}

// Middle of a pixel in the image, to the right and up.
vec2 image_place(DepthCamera camera, uvec2 pixel) {
  precise vec2 place = camera.corner + vec2(1.0, -1.0) * (vec2(pixel) + 0.5) * camera.pixel;
  return place;
}

// Through a place in the image.
Ray ray_of(View view, bool perspective, vec2 at) {
  precise vec3 aside = at.x * view.right + at.y * view.up;
  precise vec3 moved = (perspective ? view.ahead : view.eye) + aside;
  return perspective ? Ray(view.eye, moved) : Ray(moved, view.ahead);
}

uint pixels_of(DepthCamera camera) { return camera.width * camera.height; }
