// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/engine/text.js
var TOKENS = {
  english: /o'clock|n't|'[\p{L}\p{N}_]+|[\p{L}\p{N}_]+(?=n't)|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu,
  french: /aujourd'hui|[\p{L}\p{N}_]+'|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu
};
function tokenize(text, language, corpus = "grammar") {
  const lower = text.toLowerCase();
  if (corpus === "grammar") return lower.replaceAll("’", "'").match(TOKENS[language]) ?? [];
  return lower.replace(/[,.!?]/g, " $&").split(/[ \t\r\n\u00a0\u202f]+/).filter(Boolean);
}
function join(tokens, language, capitals, corpus = "grammar") {
  if (corpus === "tatoeba" && language !== "chinese") return capital(tokens.join(" ").replace(/ ([,.!?])/g, "$1"));
  if (language === "chinese") return tokens.join("");
  const named = new Set(capitals);
  const words = tokens.map((token) => named.has(token) ? capital(token) : token).join(" ");
  const text = language === "english" ? words.replace(/ (n't|'[\p{L}\p{N}_]+|[.,?])/gu, "$1") : words.replaceAll("' ", "'").replace(/ ([.,])/g, "$1").replaceAll(" ?", " ?");
  return capital(text);
}
var capital = (word) => word.slice(0, 1).toUpperCase() + word.slice(1);

// text:src/attnbook/widgets/js/engine/worker.js
var worker_default = '"use strict";var program=(()=>{var G=Object.defineProperty;var At=Object.getOwnPropertyDescriptor;var Ot=Object.getOwnPropertyNames;var St=Object.prototype.hasOwnProperty;var Lt=(t,e)=>{for(var o in e)G(t,o,{get:e[o],enumerable:!0})},Et=(t,e,o,r)=>{if(e&&typeof e=="object"||typeof e=="function")for(let n of Ot(e))!St.call(t,n)&&n!==o&&G(t,n,{get:()=>e[n],enumerable:!(r=At(e,n))||r.enumerable});return t};var Nt=t=>Et(G({},"__esModule",{value:!0}),t);var te={};Lt(te,{serve:()=>Zt});var N=class{constructor({cells:e=[],heads:o=[],temperatures:r={},positions:n=!0}={}){for(let[s,c]of Object.entries(r))if(!(c>0&&c<1/0))throw new Error(`temperatures[${s}] is ${c}: wanted above 0`);for(let{weight:s}of e)if(s!==null&&!(s>=0&&s<=1))throw new Error(`weight is ${s}: wanted 0 to 1, or null`);this.cells=e,this.heads=o,this.temperatures=r,this.positions=n}cellsOf(e,o,r){return this.cells.filter(n=>n.module===e&&(n.head??o)===o&&(n.row??r)===r)}softmax(e,o,r,n,s=()=>!0){let c=new Float32Array(n.length);if(this.heads.some(p=>p.module===e&&p.head===o))return c;let l=this.cellsOf(e,o,r),d=new Set(l.filter(({weight:p})=>p===null).map(({column:p})=>p)),f=[...n.keys()].filter(p=>s(p)&&!d.has(p)),a=this.temperatures[e]??1,i=Math.max(...f.map(p=>n[p])),m=f.map(p=>Math.exp((n[p]-i)/a)),u=m.reduce((p,g)=>p+g,0);for(let[p,g]of f.entries())c[g]=m[p]/u;let h=new Map;for(let{column:p,weight:g}of l)g!==null&&f.includes(p)&&h.set(p,g);return h.size&&qt(c,h),c}};function qt(t,e){let[o,r]=[1,0];for(let s of e.values())o-=s;for(let[s,c]of t.entries())r+=e.has(s)?0:c;let n=r>0?Math.max(0,o)/r:0;for(let[s,c]of t.entries())t[s]=e.get(s)??c*n}var E=new N;var w=(t,e,o=new Float32Array(t*e))=>({rows:t,cols:e,data:o}),$=(t,e)=>t.data.subarray(e*t.cols,(e+1)*t.cols),B=(t,e)=>w(1,t.cols,$(t,e));function nt(t){let e=w(t.length,t[0].length);for(let[o,r]of t.entries())e.data.set(r,o*e.cols);return e}function O(...t){let e=t.reduce((n,s)=>n+s.cols,0),o=w(t[0].rows,e),r=0;for(let n of t){for(let s=0;s<n.rows;s++)o.data.set($(n,s),s*e+r);r+=n.cols}return o}function q(t,e,o,r,n){let[s,c,l,d]=[0,0,0,0],f=n-n%4;for(let a=0;a<f;a+=4)s+=t[e+a]*o[r+a],c+=t[e+a+1]*o[r+a+1],l+=t[e+a+2]*o[r+a+2],d+=t[e+a+3]*o[r+a+3];for(let a=f;a<n;a++)s+=t[e+a]*o[r+a];return s+c+(l+d)}function I(t,e,o){if(t.cols!==e.cols)throw new Error(`x has ${t.cols} columns: wanted ${e.cols}, as the weight`);let r=w(t.rows,e.rows);for(let n=0;n<e.rows;n++){let s=o?o.data[n]:0;for(let c=0;c<t.rows;c++)r.data[c*r.cols+n]=q(t.data,c*t.cols,e.data,n*e.cols,t.cols)+s}return r}var J=(t,e)=>w(t.rows,t.cols,t.data.map(e)),F=t=>J(t,Math.tanh),v=t=>1/(1+Math.exp(-t));function V(t,e){let o=w(t.rows,t.cols);for(let r=0;r<o.data.length;r++)o.data[r]=t.data[r]+e.data[r];return o}function j(t,e,o,r){let n=new Float64Array(r-o);return e.forEach((s,c)=>{let l=t[c];if(l!==0)for(let d=o;d<r;d++)n[d-o]+=l*s[d]}),Float32Array.from(n)}function st(t){let e=-1/0;for(let n of t)e=Math.max(e,n);let o=0;for(let n of t)o+=Math.exp(n-e);let r=e+Math.log(o);return t.map(n=>n-r)}function at(t){let e=0;for(let o=1;o<t.length;o++)t[o]>t[e]&&(e=o);return e}function Q(t,e){let o=[];for(let r=0;r<t.length;r++){if(o.length===e&&!(t[r]>t[o[e-1]]))continue;let n=o.length;for(;n>0&&t[r]>t[o[n-1]];)n--;o.splice(n,0,r),o.length>e&&o.pop()}return o}function S(t,e){let o=t.get(e);if(!o)throw new Error(`the model has no weight ${e}`);return o}function k(t,e){let o=S(t,`${e}.weight`),r=t.get(`${e}.bias`);return n=>I(n,o,r)}function T(t,e){let o=S(t,`${e}.weight`);return r=>{let n=w(r.length,o.cols);return r.forEach((s,c)=>{if(!(Number.isInteger(s)&&s>=0&&s<o.rows))throw new Error(`ids has ${s}: wanted 0 <= id < ${o.rows}`);n.data.set($(o,s),c*o.cols)}),n}}function X(t,e){let o=S(t,`${e}.weight`).data,r=S(t,`${e}.bias`).data;return n=>{let s=w(n.rows,n.cols);for(let c=0;c<n.rows;c++){let l=$(n,c),[d,f]=[0,0];for(let m of l)d+=m/n.cols;for(let m of l)f+=(m-d)**2/n.cols;let a=1/Math.sqrt(f+1e-5),i=$(s,c);for(let m=0;m<n.cols;m++)i[m]=(l[m]-d)*a*o[m]+r[m]}return s}}function W(t,e,o=""){let[r,n,s,c]=["weight_ih","weight_hh","bias_ih","bias_hh"].map(l=>S(t,`${e}.${l}${o}`));return(l,d)=>{let f=d.cols,a=I(l,r,s).data,i=I(d,n,c).data,m=w(1,f);for(let u=0;u<f;u++){let h=v(a[u]+i[u]),p=v(a[f+u]+i[f+u]),g=Math.tanh(a[2*f+u]+h*i[2*f+u]);m.data[u]=(1-p)*g+p*d.data[u]}return m}}function Y(t,e){let[o,r]=["W_1","W_2"].map(n=>k(t,`${e}.${n}`));return n=>r(J(o(n),s=>Math.max(0,s)))}function Z(t,e,o){let r=X(t,`${e}.norm`);return o?(n,s)=>V(n,s(r(n))):(n,s)=>r(V(n,s(n)))}function P(t,e,{start:o,step:r}){let n=Ft(t,e),s=T(t,"decoder.embedding"),c=k(t,"head");return{encode(l){let{memory:d,hidden:f}=n(l),a={position:0,memory:d,key:d,hidden:f,fed:w(1,0)};return{state:o(a),attention:{}}},decode(l,d,f){let{features:a,state:i,attention:m}=r(s([l]),d,f);return{logits:c(a).data,state:{...i,position:d.position+1},attention:m}}}}function Ft(t,{num_layers:e,num_hiddens:o,bidirectional:r}){let n=T(t,"encoder.embedding"),s=r?["","_reverse"]:[""],c=Array.from({length:e},(l,d)=>({cells:s.map(f=>W(t,"encoder.rnn",`_l${d}${f}`)),bridge:r?k(t,`encoder.bridge.${d}`):null}));return l=>{let d=n(l),f=c.map(({cells:a,bridge:i})=>{let m=a.map((h,p)=>vt(h,d,o,p===1));d=O(...m.map(({states:h})=>h));let{last:u}=m[m.length-1];return i?F(i(u)):u});return{memory:d,hidden:f}}}function vt(t,e,o,r){let n=[],s=w(1,o);for(let c=0;c<e.rows;c++){let l=r?e.rows-1-c:c;s=t(B(e,l),s),n[l]=s.data}return{states:nt(n),last:s}}var ct=t=>(e,o)=>{let r=e;return t.map((n,s)=>r=n(r,o[s]))},z=(t,e)=>ct(Array.from({length:e},(o,r)=>W(t,`decoder.stack.cells.${r}`)));function it(t,{num_layers:e}){let o=ct(Array.from({length:e},(r,n)=>W(t,"decoder.rnn",`_l${n}`)));return{start:r=>({...r,fed:r.hidden[e-1]}),step(r,n){let s=o(O(r,n.fed),n.hidden);return{features:s[e-1],state:{...n,hidden:s},attention:{}}}}}function C(t,e,o,r){let{projectKey:n,scoresOf:s}=o==="concat"?Tt(t,e):Dt(t,e,o,r);return{name:e,projectKey:n,attend(c,l,d,f,a,{allowed:i,scale:m}={}){let u=a.softmax(e,0,f,s(c,l),i);if(m)for(let p=0;p<u.length;p++)u[p]*=m(p);let h=Array.from({length:d.rows},(p,g)=>$(d,g));return{context:w(1,d.cols,j(u,h,0,d.cols)),weights:w(1,d.rows,u)}}}}function Tt(t,e){let[o,r]=["W_q","W_k"].map(s=>k(t,`${e}.${s}`)),n=S(t,`${e}.w_v.weight`).data;return{projectKey:r,scoresOf(s,c){let l=o(s).data;return Float32Array.from({length:c.rows},(d,f)=>{let a=$(c,f),i=0;for(let m=0;m<l.length;m++)i+=n[m]*Math.tanh(l[m]+a[m]);return i})}}}function Dt(t,e,o,r){return{projectKey:o==="general"?k(t,`${e}.W`):n=>n,scoresOf:(n,s)=>Float32Array.from({length:s.rows},(c,l)=>q(n.data,0,B(s,l).data,0,n.cols)/(r?Math.sqrt(n.cols):1))}}function lt(t,{num_layers:e,readout:o}){let r=C(t,"decoder.cross_attention","concat",!1),n=z(t,e),s=o==="maxout"?k(t,"decoder.maxout"):null;return{start:c=>({...c,key:r.projectKey(c.memory)}),step(c,l,d){let f=l.hidden[e-1],a=r.attend(f,l.key,l.memory,l.position,d),i=n(O(a.context,c),l.hidden);return{features:s?Bt(s(O(f,c,a.context))):i[e-1],state:{...l,hidden:i},attention:{[r.name]:[a.weights]}}}}}var Bt=t=>w(1,t.cols/2,Float32Array.from({length:t.cols/2},(e,o)=>Math.max(t.data[2*o],t.data[2*o+1])));function dt(t,{num_layers:e,num_hiddens:o,score:r,scaled:n,window:s,half_width:c,input_feeding:l}){let d=C(t,"decoder.cross_attention",r,n),f=z(t,e),a=k(t,"decoder.W_c"),i=s==="local-p"?It(t):null,m=(u,h)=>{if(s==="global")return{};let p=i?i(u,h.memory.rows):h.position;return{allowed:g=>Math.abs(g-p)<=c,scale:i?g=>Math.exp(-2*((g-p)/c)**2):void 0}};return{start:u=>({...u,key:d.projectKey(u.memory),fed:w(1,l?o:0)}),step(u,h,p){let g=f(O(u,h.fed),h.hidden),y=g[e-1],{context:A,weights:b}=d.attend(y,h.key,h.memory,h.position,p,m(y,h)),M=F(a(O(A,y))),x=l?M:h.fed;return{features:M,state:{...h,hidden:g,fed:x},attention:{[d.name]:[b]}}}}}function It(t){let[e,o]=["W_p","v_p"].map(r=>k(t,`decoder.center.${r}`));return(r,n)=>n*v(o(F(e(r))).data[0])}var ft=(t,e)=>1e4**(-2*t/e),ut=(t,e)=>Float32Array.from({length:e},(o,r)=>{let n=t*ft(r>>1,e);return r%2?Math.cos(n):Math.sin(n)});function mt(t,e,o){let r=t.cols/e,n=w(t.rows,t.cols);for(let s=0;s<t.rows;s++)for(let c=0;c<t.cols;c+=2){let l=(o+s)*ft(c%r/2,r),[d,f]=[Math.cos(l),Math.sin(l)],[a,i]=[t.data[s*t.cols+c],t.data[s*t.cols+c+1]];n.data[s*t.cols+c]=a*d-i*f,n.data[s*t.cols+c+1]=a*f+i*d}return n}function U(t,e,o,r=!1){let[n,s,c,l]=["W_q","W_k","W_v","W_o"].map(f=>k(t,`${e}.${f}`)),d=(f,a,{positions:i})=>r&&i?mt(f,o,a):f;return{name:e,project:(f,a,i)=>({keys:pt(d(s(f),a,i)),values:pt(c(f))}),attend(f,{keys:a,values:i},m,u,h=!1){let p=d(n(f),m,u),g=p.cols/o,y=w(p.rows,p.cols),A=Array.from({length:o},()=>w(p.rows,a.length));for(let b=0;b<p.rows;b++){let M=h?x=>x<=m+b:void 0;for(let x=0;x<o;x++){let _=x*g,R=Float32Array.from(a,_t=>q(p.data,b*p.cols+_,_t,_,g)/Math.sqrt(g)),rt=u.softmax(e,x,m+b,R,M);$(A[x],b).set(rt),$(y,b).set(j(rt,i,_,_+g),_)}}return{pooled:l(y),weights:A}}}}var pt=t=>Array.from({length:t.rows},(e,o)=>$(t,o));function ht(t,e){let o=Array.from({length:e.num_layers},(a,i)=>i),r=o.map(a=>jt(t,`encoder.${a}`,e)),n=o.map(a=>Wt(t,`decoder.${a}`,e)),[s,c]=["source","target"].map(a=>Pt(t,a,e)),[l,d]=["encoder_norm","decoder_norm"].map(a=>e.pre_norm?X(t,a):i=>i),f=k(t,"head");return{encode(a,i){let m={},u=s(a,0,i);for(let g of r)u=g(u,m,i);let h=l(u);return{state:{position:0,source:n.map(({crossAttention:g})=>g.project(h,0,i)),target:o.map(()=>({keys:[],values:[]}))},attention:m}},decode(a,i,m){let u={},h=c([a],i.position,m),p=n.map((g,y)=>{let{output:A,seen:b}=g.step(h,i.source[y],i.target[y],u,m);return h=A,b});return{logits:f(d(h)).data,state:{...i,position:i.position+1,target:p},attention:u}}}}function jt(t,e,{num_heads:o,pre_norm:r,positions:n}){let s=U(t,`${e}.self_attention`,o,n==="rotary"),c=Y(t,`${e}.feed_forward`),[l,d]=[1,2].map(f=>Z(t,`${e}.add_norm_${f}`,r));return(f,a,i)=>{let m=l(f,u=>{let h=s.attend(u,s.project(u,0,i),0,i);return a[s.name]=h.weights,h.pooled});return d(m,c)}}function Wt(t,e,{num_heads:o,pre_norm:r,positions:n}){let s=U(t,`${e}.self_attention`,o,n==="rotary"),c=U(t,`${e}.cross_attention`,o),l=Y(t,`${e}.feed_forward`),[d,f,a]=[1,2,3].map(i=>Z(t,`${e}.add_norm_${i}`,r));return{crossAttention:c,step(i,m,u,h,p){let g=u.keys.length,y=u,A=d(i,M=>{let x=s.project(M,g,p);y={keys:[...u.keys,...x.keys],values:[...u.values,...x.values]};let{pooled:_,weights:R}=s.attend(M,y,g,p,!0);return h[s.name]=R,_}),b=f(A,M=>{let{pooled:x,weights:_}=c.attend(M,m,g,p);return h[c.name]=_,x});return{output:a(b,l),seen:y}}}}function Pt(t,e,{d_model:o,positions:r}){let n=T(t,`${e}_embedding`),s=r==="learned"?S(t,`${e}_positions.embedding.weight`):null,c=l=>s?$(s,l):ut(l,o);return(l,d,f)=>{let a=n(l),i=w(a.rows,o),m=r!=="rotary"&&f.positions;for(let u=0;u<i.rows;u++){let h=m?c(d+u):null;for(let p=0;p<o;p++)$(i,u)[p]=a.data[u*o+p]*Math.sqrt(o)+(h?h[p]:0)}return i}}var tt={Seq2Seq:(t,e)=>P(t,e,it(t,e)),Bahdanau:(t,e)=>P(t,e,lt(t,e)),Luong:(t,e)=>P(t,e,dt(t,e)),Transformer:ht},K=class{constructor({kind:e,config:o,weights:r}){if(!Object.hasOwn(tt,e))throw new Error(`model is ${e}: wanted one of ${Object.keys(tt).join(", ")}`);this.kind=e,this.config=o,this.maxLength=o.positions==="learned"?o.max_length:1/0,this.network=tt[e](r,o),this.modules=zt(e,o)}encode(e,o=E){if(!e.length||e.length>this.maxLength)throw new Error(`ids has length ${e.length}: wanted 1 to ${this.maxLength}`);return this.network.encode(e,o)}decode(e,o,r=E){if(o.position>=this.maxLength)throw new Error(`the target reaches length ${o.position+1}: wanted at most ${this.maxLength}`);return this.network.decode(e,o,r)}};function zt(t,e){if(t==="Seq2Seq")return[];if(t!=="Transformer")return[{name:"decoder.cross_attention",heads:1}];let o=Array.from({length:e.num_layers},(n,s)=>s);return[...o.map(n=>`encoder.${n}.self_attention`),...o.flatMap(n=>[`decoder.${n}.self_attention`,`decoder.${n}.cross_attention`])].map(n=>({name:n,heads:e.num_heads}))}var L=["<pad>","<bos>","<eos>","<unk>"],[Ct,et,D,gt]=[0,1,2,3],wt=t=>t.kind==="subwords"?Kt(t.symbols,t.merges):Ut(t.words);function yt(t){let e=t.indexOf(D);return(e<0?t:t.slice(0,e)).filter(o=>o!==Ct&&o!==et)}function Ut(t){let e=new Map(t.map((r,n)=>[r,n+L.length])),o=r=>r.map(n=>L[n]??t[n-L.length]);return{kind:"words",size:t.length+L.length,knows:r=>e.has(r),words:t,encode:r=>r.map(n=>e.get(n)??gt),decode:r=>o(yt(r)),pieces:o}}function Kt(t,e){let o=[...new Set([...t,...e.map(a=>a.join(""))])],r=new Map(o.map((a,i)=>[a,i+L.length])),n=new Map(e.map(([a,i],m)=>[`${a} ${i}`,m])),[s,c]=Ht(),l=o.map(a=>Uint8Array.from(a,i=>c.get(i)??0));function d(a){let i=Array.from(new TextEncoder().encode(` ${a}`),m=>s[m]);for(;;){let[m,u]=[1/0,-1];for(let h=0;h+1<i.length;h++){let p=n.get(`${i[h]} ${i[h+1]}`)??1/0;p<m&&([m,u]=[p,h])}if(u<0)return i.map(h=>Number(r.get(h)));i.splice(u,2,i[u]+i[u+1])}}let f=a=>{let i=[...new TextEncoder().encode(" <unk> ")],m=yt(a).flatMap(u=>u===gt?i:[...l[u-L.length]]);return new TextDecoder("utf-8",{ignoreBOM:!0}).decode(Uint8Array.from(m)).split(" ").filter(Boolean)};return{kind:"subwords",size:o.length+L.length,knows:()=>!0,words:[],encode:a=>a.flatMap(d),decode:f,pieces:a=>a.map(i=>L[i]??Rt(l[i-L.length]))}}function Ht(){let t=256,e=Array.from({length:256},(o,r)=>{let n=r>=33&&r<=126||r>=161&&r<=172||r>=174;return String.fromCharCode(n?r:t++)});return[e,new Map(e.map((o,r)=>[o,r]))]}function Rt(t){let e="";for(let o=0;o<t.length;){let r=Gt(t,o);e+=r?new TextDecoder("utf-8",{ignoreBOM:!0}).decode(t.subarray(o,o+r)):`⟨${t[o].toString(16).padStart(2,"0")}⟩`,o+=r||1}return e.replaceAll(" ","▁")}function Gt(t,e){for(let o=1;o<=4&&e+o<=t.length;o++)try{return new TextDecoder("utf-8",{fatal:!0,ignoreBOM:!0}).decode(t.subarray(e,e+o)),o}catch{}return 0}var xt="attnbook-page-1";async function $t(t){let e=new DataView(await Jt(t)),o=e.getUint32(0,!0),r=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,4,o)));if(r.format!==xt)throw new Error(`the file\'s format is ${r.format}: wanted ${xt}`);let n=new Map,[s,c]=[4+o,0];for(let f of r.tensors){let[a,i]=f.shape.length===2?f.shape:[1,f.shape[0]],m=w(a,i,f.kind==="int8"?Vt(e,s,a,i):kt(e,s,a*i));s+=f.kind==="int8"?a*(2+i):2*a*i,c+=a*i,n.set(f.name,m)}if(s!==e.byteLength)throw new Error(`the file has ${e.byteLength} bytes: wanted ${s}`);for(let[f,a]of Object.entries(r.aliases))n.set(f,n.get(a));let[l,d=l]=r.vocabularies.map(wt);return{model:new K({kind:r.model,config:r.config,weights:n}),source:l,target:d,parameters:c}}async function Jt(t){let e=new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));try{return await new Response(e).arrayBuffer()}catch(o){throw new Error("the model\'s file is damaged, or none",{cause:o})}}function Vt(t,e,o,r){let n=kt(t,e,o),s=new Int8Array(t.buffer,e+2*o,o*r),c=new Float32Array(s.length);for(let l=0;l<o;l++)for(let d=l*r;d<(l+1)*r;d++)c[d]=s[d]*n[l];return c}function kt(t,e,o){let r=new Float32Array(o);for(let n=0;n<o;n++)r[n]=Qt(t.getUint16(e+2*n,!0));return r}function Qt(t){let[e,o,r]=[t>>15?-1:1,t>>10&31,t&1023];return e*(o?2**(o-15)*(1+r/1024):2**-14*(r/1024))}function*ot(t,e,{begin:o=[],maxLength:r=100,intervention:n=E}={}){let{state:s}=t.encode(e,n),c=et;for(let l=0;l<Math.min(r,t.maxLength)&&c!==D;l++){let d=t.decode(c,s,n);c=o[l]??at(d.logits),s=d.state,yield{id:c,logP:st(d.logits),attention:d.attention}}}function bt(t,e,o,r=E){let n=0;for(let{id:s,logP:c}of ot(t,e,{begin:o,maxLength:o.length,intervention:r}))n+=c[s];return n}var Xt=5,Yt=30,H=class{constructor(e){this.pause=e,this.latest=0}async open(e){this.translator=await $t(e);let{model:o,source:r,parameters:n}=this.translator,{kind:s,config:c,modules:l}=o;return{modules:l,words:r.words,kind:s,config:c,parameters:n}}async translate({source:e,begin:o,changes:r,judged:n},s){if(!this.translator)throw new Error("there is no model yet: wanted one that was opened");let{model:c,source:l,target:d}=this.translator,f=++this.latest;await this.pause();let a=l.encode(e),i=new N(r),m=o.filter(g=>g<d.size),u=[],h=0,p=(g,y)=>({id:g,piece:d.pieces([g])[0],p:Math.exp(y[g])});for(let{id:g,logP:y,attention:A}of ot(c,a,{begin:m,maxLength:Yt,intervention:i})){if(f!==this.latest)return null;u.push(g),h+=y[g];let b=Object.entries(A).map(([M,x])=>[M,x.map(({data:_})=>_)]);s({...p(g,y),best:Q(y,Xt).map(M=>p(M,y)),attention:Object.fromEntries(b)}),await this.pause()}return f!==this.latest?null:{sourcePieces:l.pieces(a),unknown:e.map(g=>!l.knows(g)),ids:u,target:d.decode(u.filter(g=>g!==D)),logP:h,judged:n&&bt(c,a,n,i)}}},Mt=()=>new Promise(t=>{let{port1:e,port2:o}=new MessageChannel;e.onmessage=()=>{e.close(),t()},o.postMessage(null)});function Zt(t){let e=new H(Mt);t.onmessage=async({data:{number:o,file:r,request:n}})=>{try{let s=r?await e.open(r):await e.translate(n,c=>t.postMessage({number:o,row:c}));t.postMessage({number:o,result:s})}catch(s){t.postMessage({number:o,error:String(s)})}}}return Nt(te);})();\n';

// src/attnbook/widgets/js/shared/address.js
var PAUSE = 400;
var MOST = 1e4;
var taken = /* @__PURE__ */ new Set();
function free(wanted) {
  let [name, count] = [wanted, 1];
  while (taken.has(name)) name = `${wanted}-${++count}`;
  taken.add(name);
  return name;
}
function parts(fragment) {
  const found = /* @__PURE__ */ new Map();
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, "").slice(0, MOST))) {
    const [name, rest] = [key.slice(0, key.indexOf(".")), key.slice(key.indexOf(".") + 1)];
    if (!key.includes(".")) continue;
    found.set(name, Object.fromEntries([...Object.entries(found.get(name) ?? {}), [rest, value]]));
  }
  return found;
}
var fragmentOf = (named) => String(
  new URLSearchParams(
    [...named].flatMap(([name, values]) => Object.entries(values).map(([key, value]) => [`${name}.${key}`, value]))
  )
);
var Address = class {
  timer = 0;
  /** @param {Element} el where the widget is drawn @param {string} wanted its name, if no other widget has it */
  constructor(el, wanted) {
    this.el = el;
    this.onPage = el.closest(".attnbook-static") !== null;
    this.name = this.onPage ? free(wanted) : wanted;
  }
  /** What the address says of this widget; null where it says nothing. */
  read() {
    return this.onPage && parts(location.hash).get(this.name) || null;
  }
  /** Brings the widget into sight, if it is the first that the address names. */
  show() {
    if (parts(location.hash).keys().next().value === this.name) this.el.scrollIntoView({ block: "center" });
  }
  /** Writes them into the address, once they stay; what it says of other widgets is kept. @param {Values} values */
  write(values) {
    clearTimeout(this.timer);
    if (this.onPage) this.timer = window.setTimeout(() => this.replace(values), PAUSE);
  }
  /** @param {Values} values */
  replace(values) {
    const named = parts(location.hash);
    const some = Object.keys(values).length > 0;
    if (!some && !named.has(this.name)) return;
    if (some) named.set(this.name, values);
    else named.delete(this.name);
    const fragment = fragmentOf(named);
    try {
      history.replaceState(history.state, "", `${location.pathname}${location.search}${fragment && `#${fragment}`}`);
    } catch {
    }
  }
  /** A link to this widget alone, into the clipboard. @param {Values} values @returns {Promise<string>} what a reader is told */
  async copy(values) {
    this.replace(values);
    const link = `${location.href.split("#")[0]}#${fragmentOf(/* @__PURE__ */ new Map([[this.name, values]]))}`;
    try {
      await navigator.clipboard.writeText(link);
      return "The link is in the clipboard.";
    } catch {
      return "The clipboard cannot be reached: the link is this page's address.";
    }
  }
  /** Hears of another address of the same page. @param {(values: Values) => void} visit @returns {() => void} ends it */
  follow(visit) {
    const hear = () => {
      const values = this.read();
      if (values) visit(values);
    };
    if (this.onPage) addEventListener("hashchange", hear);
    return () => {
      clearTimeout(this.timer);
      removeEventListener("hashchange", hear);
      if (this.onPage) taken.delete(this.name);
    };
  }
};

// src/attnbook/colours.json
var colours_default = {
  light: {
    query: "#be490f",
    key: "#a22496",
    value: "#0b5740",
    weight: "#265bc6",
    ink: "#1a1d21",
    muted: "#4a5260",
    line: "#8a919c",
    fill: "#f3f5f8",
    paper: "#ffffff"
  },
  dark: {
    query: "#e0924a",
    key: "#efb8fb",
    value: "#7ff09a",
    weight: "#7d96ff",
    ink: "#e8eaed",
    muted: "#b3bac6",
    line: "#757c88",
    fill: "#23272e",
    paper: "#14161a"
  }
};

// src/attnbook/widgets/js/shared/colours.js
var COLOURS = colours_default;
function paintTheme(node, theme) {
  node.dataset.theme = theme;
  for (const [name, colour] of Object.entries(COLOURS[theme])) node.style.setProperty(`--${name}`, colour);
}

// src/attnbook/widgets/js/shared/dom.js
function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") write(node, String(value ?? ""));
    else if (value === false || value == null) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function element(tag, attributes = {}, ...children) {
  const node = set(document.createElement(tag), attributes);
  node.append(...children);
  return node;
}
var SVG = "http://www.w3.org/2000/svg";
function svg(tag, attributes = {}, ...children) {
  const node = set(document.createElementNS(SVG, tag), attributes);
  node.append(...children);
  return node;
}

// src/attnbook/widgets/js/shared/controls.js
var LINEAR = { to: (value) => value, from: (place) => place };
var LOGARITHM = { to: Math.log, from: Math.exp };
function slider(name, { min, max, step = 1, scale = LINEAR, says = String }, chosen) {
  const input = element("input", { type: "range", min, max, step });
  const value = element("span", { class: "value", "aria-hidden": "true" });
  const words = element("span", { class: "words" }, element("span", { text: name }), value);
  input.addEventListener("input", () => chosen(scale.from(Number(input.value))));
  return {
    element: element("label", { class: "field" }, words, input),
    input,
    /** @param {number} now */
    show(now) {
      input.value = String(scale.to(now));
      set(input, { "aria-valuetext": says(now) });
      write(value, says(now));
    }
  };
}
function choice(name, options, chosen) {
  const input = element("select");
  input.addEventListener("change", () => chosen(input.value));
  const own = {
    element: element("label", { class: "field" }, element("span", { class: "words", text: name }), input),
    input,
    /** @param {Iterable<[string | number, string | number]>} list */
    offer(list) {
      input.replaceChildren(...Array.from(list, ([value, text]) => new Option(String(text), String(value))));
    },
    /** A value that the list does not offer is offered from now on. @param {string | number} now */
    show(now) {
      const value = String(now);
      if (![...input.options].some((option) => option.value === value)) input.append(new Option(value, value));
      input.value = value;
    }
  };
  own.offer(options);
  return own;
}
function checkbox(name, chosen) {
  const input = element("input", { type: "checkbox" });
  input.addEventListener("change", () => chosen(input.checked));
  return {
    element: element("label", { class: "check" }, input, element("span", { text: name })),
    input,
    /** @param {boolean} on */
    show(on) {
      input.checked = on;
    }
  };
}
function button(name, pressed) {
  const node = element("button", { type: "button", text: name });
  node.addEventListener("click", pressed);
  return node;
}

// src/attnbook/widgets/js/shared/style.js
var FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";
var STYLE = `
:host { display: block; }
.card { --edge: color-mix(in srgb, var(--line) 45%, var(--paper)); box-sizing: border-box; max-width: 46rem; margin: 0 auto; padding: 10px 14px 12px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 10px; font: 14px/1.45 ${FONT}; text-align: left; container-type: inline-size; }
.card [hidden] { display: none; }
header { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-bottom: 6px; }
.title { font-weight: 650; }
.figure svg { display: block; width: 100%; height: auto; user-select: none; -webkit-user-select: none; }
.figure svg text { fill: var(--ink); font: var(--label, 13px) ${FONT}; }
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 4px 16px; align-items: end; margin: 6px 0; }
.controls:empty { display: none; }
.field { display: flex; flex-direction: column; gap: 1px; min-width: 0; font-size: 13px; color: var(--muted); }
.words { display: flex; justify-content: space-between; gap: 8px; white-space: nowrap; }
.words > *, .field > .words { overflow: hidden; text-overflow: ellipsis; }
.words > :first-child { flex: 1 0 auto; }
.value { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.check { display: inline-flex; align-items: center; gap: 7px; min-height: 32px; font-size: 13px; cursor: pointer; }
.check input { width: 18px; height: 18px; margin: 0; flex: none; accent-color: var(--weight); }
input[type=range] { width: 100%; height: 28px; margin: 0; accent-color: var(--weight); cursor: pointer; }
button, select { font: inherit; font-size: 13px; min-height: 32px; padding: 2px 10px; color: var(--ink); background: var(--fill);
  border: 1px solid var(--edge); border-radius: 6px; cursor: pointer; }
select { width: 100%; box-sizing: border-box; text-overflow: ellipsis; }
button:hover:not(:disabled), select:hover { border-color: var(--muted); }
button:disabled, select:disabled, input:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.said { display: grid; margin-top: 6px; font-variant-numeric: tabular-nums; }
.said > * { grid-area: 1 / 1; }
.said > [aria-hidden] { visibility: hidden; padding-right: 4em; }
p { margin: 6px 0 0; }
.tip, .legend { color: var(--muted); font-size: 13px; }
`;

// src/attnbook/widgets/js/shared/theme.js
function pageTheme(element2) {
  const html = document.documentElement;
  const { body } = document;
  const named = html.dataset.theme ?? html.dataset.mode ?? html.getAttribute("theme") ?? "";
  if (/dark/.test(named)) return "dark";
  if (/light/.test(named)) return "light";
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "true" ? "light" : "dark";
  if (/vscode-(dark|high-contrast(?!-light))/.test(body.className)) return "dark";
  if (/vscode-/.test(body.className)) return "light";
  for (let behind = (
    /** @type {Element | null} */
    element2
  ); behind; behind = behind.parentElement) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(behind).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110 ? "dark" : "light";
  }
  const follows = /dark/.test(getComputedStyle(html).colorScheme);
  return follows && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
function followTheme(element2, changed) {
  const tell = () => changed(pageTheme(element2));
  const observer = new MutationObserver(tell);
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", tell);
  tell();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", tell);
  };
}

// src/attnbook/widgets/js/shared/card.js
var first = /* @__PURE__ */ new WeakMap();
var Card = class {
  /**
   * @param {{ model: import("@anywidget/types").AnyModel, el: HTMLElement }} place
   * @param {Options} options
   */
  constructor({ model, el }, { name, title, tip, style, names }) {
    if (!first.has(model)) first.set(model, Object.fromEntries(names.map((key) => [key, model.get(key)])));
    this.model = model;
    this.names = names;
    this.figure = element("div", { class: "figure" });
    this.controls = element("div", { class: "controls" });
    this.forget = () => {
    };
    this.redraw = () => {
    };
    this.longest = element("span", { "aria-hidden": "true" });
    this.said = element("output", { "aria-live": "polite" });
    this.root = element(
      "section",
      { class: `card ${name}`, "aria-label": title },
      element(
        "header",
        {},
        element("span", { class: "title", text: title }),
        button("Reset", () => this.reset())
      ),
      this.figure,
      this.controls,
      element("div", { class: "said" }, this.longest, this.said),
      element("p", { class: "tip" }, element("b", { text: "Try this: " }), tip)
    );
    this.host = element("div", { "data-lm-suppress-shortcuts": "true" });
    this.host.addEventListener("keydown", (event) => event.stopPropagation());
    this.host.attachShadow({ mode: "open" }).append(element("style", { text: STYLE + style }), this.root);
    el.append(this.host);
    this.sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) keepLabels(
        /** @type {SVGSVGElement} */
        target
      );
    });
  }
  /** Changes the model. @param {Record<string, unknown>} changes */
  change(changes) {
    for (const [key, value] of Object.entries(changes)) this.model.set(key, value);
    this.model.save_changes();
  }
  reset() {
    this.forget();
    if (this.names.length) this.change(first.get(this.model) ?? {});
    this.redraw();
  }
  /**
   * A picture that is as wide as the card.
   *
   * @param {number} width @param {number} height of what is drawn
   * @param {{ label?: string, wide?: number, size?: number }} [options] `size`: of its labels in pixels, also where the
   *   picture is narrower than `wide` pixels
   */
  picture(width, height, { label: label2 = this.model.get("alt"), wide = 520, size = 13 } = {}) {
    const data = { "data-wide": wide, "data-size": size };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label2, ...data });
    this.figure.append(picture);
    this.sizes.observe(picture);
    return picture;
  }
  /** Says what is seen. @param {string} text */
  say(text) {
    write(this.said, text);
    this.reserve([text]);
  }
  /** Keeps room for the longest of these texts, wherever its lines break: nothing below moves. @param {string[]} texts */
  reserve(texts) {
    for (const text of texts) if (text.length > (this.longest.textContent ?? "").length) write(this.longest, text);
  }
  /**
   * Draws now, and whenever the model or the theme changes.
   *
   * @param {(theme: import("./theme.js").Theme) => void} draw
   * @param {() => void} [forget] puts back what Reset does not find in the model
   * @returns {() => void} ends it
   */
  start(draw, forget = () => {
  }) {
    this.forget = forget;
    this.redraw = () => draw(this.root.dataset.theme === "dark" ? "dark" : "light");
    const events = this.names.map((key) => `change:${key}`).join(" ");
    if (events) this.model.on(events, this.redraw);
    const unfollow = followTheme(this.host, (theme) => {
      if (theme === this.root.dataset.theme) return;
      paintTheme(this.root, theme);
      this.redraw();
    });
    return () => {
      if (events) this.model.off(events, this.redraw);
      unfollow();
      this.sizes.disconnect();
      this.host.remove();
    };
  }
};
function keepLabels(picture) {
  const wide = Number(picture.dataset.wide);
  const factor = Math.max(1, wide / (picture.clientWidth || wide));
  picture.style.setProperty("--label", `${Number(picture.dataset.size) * factor}px`);
}

// src/attnbook/widgets/js/translate/state.js
var fresh = (sentence, stage) => ({
  sentence,
  stage,
  begin: [],
  cells: [],
  heads: [],
  temperature: 1,
  positions: true,
  swap: null
});
var isChanged = ({ begin, cells: cells2, heads, temperature, positions, swap }) => begin.length + cells2.length + heads.length > 0 || temperature !== 1 || !positions || swap !== null;
var changesOf = ({ cells: cells2, heads, temperature, positions }, modules) => ({
  cells: cells2,
  heads,
  temperatures: temperature === 1 ? {} : Object.fromEntries(modules.map((name) => [name, temperature])),
  positions
});
function swapped(list, swap) {
  if (swap === null || swap + 1 >= list.length) return list;
  const copy = [...list];
  [copy[swap], copy[swap + 1]] = [list[swap + 1], list[swap]];
  return copy;
}
function toText({ stage, ...experiment }, first2, steps) {
  const text = (value) => typeof value === "string" ? value : JSON.stringify(value);
  const changed = Object.entries(experiment).flatMap(([key, value]) => {
    const then = first2[
      /** @type {keyof Experiment} */
      key
    ];
    return text(value) === text(then) ? [] : [[key, text(value)]];
  });
  if (stage !== first2.stage) changed.push(["step", String(steps[stage])]);
  return Object.fromEntries(changed);
}
function fromText(text, first2, steps) {
  if (!text) return null;
  const whole = (n) => Number.isInteger(n) && Number(n) >= 0;
  const cell = (c) => typeof c?.module === "string" && [c.head, c.row].every((n) => n === null || whole(n)) && whole(c.column) && (c.weight === null || c.weight >= 0 && c.weight <= 1);
  const head = (h) => typeof h?.module === "string" && whole(h.head);
  const list = (key, keep, most) => {
    const found = parsed(text, key);
    return Array.isArray(found) ? found.filter(keep).slice(0, most) : [];
  };
  const [temperature, swap] = ["temperature", "swap"].map((key) => parsed(text, key));
  const stage = steps.indexOf(Number(text.step));
  return {
    sentence: (text.sentence ?? first2.sentence).slice(0, 300),
    stage: stage >= 0 ? stage : first2.stage,
    begin: list("begin", whole, 30),
    cells: list("cells", cell, 100),
    heads: list("heads", head, 100),
    temperature: temperature >= 0.1 && temperature <= 10 ? temperature : 1,
    positions: text.positions !== "false",
    swap: whole(swap) ? swap : null
  };
}
function parsed(text, key) {
  try {
    return JSON.parse(text[key]);
  } catch {
    return void 0;
  }
}
function changedWords(before, now) {
  const common = Array.from({ length: before.length + 1 }, () => new Array(now.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i][j] = before[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const changed = new Array(now.length).fill(true);
  for (let i = 0, j = 0; i < before.length && j < now.length; ) {
    if (before[i] === now[j]) {
      changed[j] = false;
      i++;
      j++;
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  return changed;
}
var inWords = (p) => p >= 0.0995 ? p.toFixed(2) : p >= 95e-5 ? p.toFixed(3) : p > 0 ? p.toExponential(0) : "0";

// src/attnbook/widgets/js/translate/compare.js
var COMPARE_STYLE = `
.compared { height: 86px; overflow: auto; }
.compare { display: grid; grid-template-columns: auto 1fr auto; gap: 2px 10px; margin: 0; font-size: 15px; }
.compare dt { color: var(--muted); font-size: 13px; line-height: 1.7; }
.compare dd { margin: 0; }
.compare b { text-decoration: underline; text-underline-offset: 3px; }
.compare .p { font-size: 13px; line-height: 1.7; font-variant-numeric: tabular-nums; white-space: nowrap; }
`;
function compareLines() {
  const list = element("dl", { class: "compare" });
  return {
    element: element("div", { class: "compared", role: "group", "aria-label": "Translations", tabindex: 0 }, list),
    /**
     * @param {Written | null} before @param {Written | null} now of the changed model; null where nothing is changed
     * @param {number | null} judged the probability of `before` for the changed model
     */
    show(before, now, judged) {
      const line = (name, written, p) => [
        element("dt", { text: name }),
        element("dd", { lang: "fr" }, ...marked(written, name === "now" && before ? before.words : null)),
        element("dd", { class: "p", text: p })
      ];
      const was = before && (now && judged !== null ? `p ${inWords(before.p)} → ${inWords(judged)}` : `p ${inWords(before.p)}`);
      list.replaceChildren(
        ...before ? line(now ? "before" : "French", before, was ?? "") : [],
        ...now ? line("now", now, `p ${inWords(now.p)}`) : []
      );
    }
  };
}
function marked({ text, words }, before) {
  if (!before) return [text];
  const changed = changedWords(before, words);
  const parts2 = [];
  let at = 0;
  words.forEach((word, i) => {
    const found = text.toLowerCase().indexOf(word.toLowerCase(), at);
    if (found < 0) return;
    parts2.push(text.slice(at, found));
    at = found + word.length;
    const piece = text.slice(found, at);
    parts2.push(changed[i] ? element("b", { text: piece }) : piece);
  });
  return [...parts2, text.slice(at)];
}

// src/attnbook/widgets/js/translate/copies.js
var LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font", "text-decoration"];
function toSvg(drawing, background) {
  const copy = (
    /** @type {SVGSVGElement} */
    drawing.cloneNode(true)
  );
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const originals = drawing.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    node.setAttribute("style", LOOKS.map((name) => `${name}: ${style.getPropertyValue(name)}`).join("; "));
    node.removeAttribute("class");
  });
  copy.style.background = background;
  return new XMLSerializer().serializeToString(copy);
}
async function toPng(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("the picture could not be drawn")));
  });
}
function saveButtons({ drawing, background, data, link }) {
  const save = (kind, make) => button(kind, async () => download(`attention.${kind.toLowerCase()}`, await make()));
  const picture = () => {
    const found = drawing();
    if (!found) throw new Error("there is no picture yet");
    return toSvg(found, background());
  };
  return [
    ...link ? [button("Copy link", link)] : [],
    save("PNG", () => toPng(picture())),
    save("SVG", () => new Blob([picture()], { type: "image/svg+xml" })),
    save("JSON", () => new Blob([JSON.stringify(data(), null, 1)], { type: "application/json" }))
  ];
}
function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// src/attnbook/widgets/js/translate/panels.js
var PANEL_STYLE = `
.panel { display: flex; flex-direction: column; gap: 6px; height: 250px; }
.tabs { display: flex; gap: 4px; }
.tabs button { flex: 1; }
.tabs [aria-selected=true] { background: var(--weight); color: var(--paper); border-color: var(--weight); }
.panel [role=tabpanel]:not([hidden]) { flex: 1; min-height: 0; overflow: auto; display: flex; flex-direction: column; gap: 4px; }
.panel .about { font-size: 13px; color: var(--muted); min-height: 1.4em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.candidate { display: grid; grid-template-columns: 7rem 1fr 3.4rem; gap: 8px; align-items: center; text-align: left; min-height: 32px; }
.candidate i { height: 8px; border-radius: 4px; background: var(--weight); min-width: 1px; }
.candidate.taken { border-color: var(--ink); font-weight: 650; }
.candidate .p { text-align: right; font-variant-numeric: tabular-nums; }
.changes { display: grid; grid-template-columns: 1fr 1fr; gap: 6px 10px; align-items: center; }
.changes > .wide { grid-column: 1 / -1; }
`;
function tabs(pages) {
  const heads = pages.map(
    ({ id, name }) => set(
      button(name, () => choose(id)),
      { role: "tab", "aria-controls": `tab-${id}`, id: `head-${id}` }
    )
  );
  for (const { id, content } of pages)
    set(content, { role: "tabpanel", id: `tab-${id}`, "aria-labelledby": `head-${id}` });
  function choose(chosen) {
    pages.forEach(({ id, content }, i) => {
      set(heads[i], { "aria-selected": String(id === chosen), tabindex: id === chosen ? 0 : -1 });
      set(content, { hidden: id !== chosen });
    });
  }
  const bar = element("div", { class: "tabs", role: "tablist" }, ...heads);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const now = heads.indexOf(
      /** @type {HTMLButtonElement} */
      event.target
    );
    const next = (now + step + heads.length) % heads.length;
    choose(pages[next].id);
    heads[next].focus();
  });
  choose(pages[0].id);
  return element("div", { class: "panel" }, bar, ...pages.map(({ content }) => content));
}
function alternatives(take) {
  const about = element("div", { class: "about" });
  const list = element("div", { class: "changes" });
  set(list, { style: "grid-template-columns: 1fr; gap: 4px" });
  return {
    element: element("div", {}, about, list),
    /** @param {(Candidate & {best: Candidate[]}) | undefined} row */
    show(row) {
      write(about, row ? `In place of “${row.piece}” it could have written:` : "");
      const most = row ? row.best[0].p : 1;
      list.replaceChildren(
        ...(row?.best ?? []).map(({ id, piece, p }) => {
          const node = set(
            button("", () => take(id)),
            { class: id === row?.id ? "candidate taken" : "candidate" }
          );
          const bar = element("i");
          bar.style.width = `${(100 * p / most).toFixed(0)}%`;
          node.append(element("span", { text: piece }), bar, element("span", { class: "p", text: inWords(p) }));
          return node;
        })
      );
    }
  };
}
function changePanel({ modules, config }, on) {
  const cross = modules.filter(({ name }) => name.endsWith("cross_attention"));
  const about = element("div", { class: "about wide" });
  let everywhere = false;
  const all = checkbox("for every written word", (value) => {
    everywhere = value;
  });
  const forbid = button("Forbid to look", () => on.cell(null, everywhere));
  const force = button("Look only here", () => on.cell(1, everywhere));
  const undo = button("Undo all changes", on.undo);
  const swap = button("Swap with next", on.swap);
  const heat = slider(
    "Softmax: sharp to soft",
    {
      min: Math.log(0.1),
      max: Math.log(10),
      step: 0.05,
      scale: LOGARITHM,
      says: (value) => `× ${(1 / value).toFixed(2)}`
    },
    (value) => on.change({ temperature: Math.abs(Math.log(value)) < 0.03 ? 1 : value })
  );
  const positions = checkbox("Positions", (value) => on.change({ positions: value }));
  const off = checkbox("this head is off", on.headOff);
  const looks = choice("Layer and head", viewsOf(cross), (value) => on.view(...fromKey(value)));
  heat.element.classList.add("wide");
  const several = cross.some(({ heads }) => heads > 1);
  const parts2 = [about, forbid, force, all.element, swap, heat.element];
  if (several) parts2.push(off.element);
  if (config.positions) parts2.push(positions.element);
  parts2.push(undo);
  return {
    element: element("div", {}, element("div", { class: "changes" }, ...parts2)),
    looks,
    /** @param {Chosen} now */
    show({ about: cell, sourceWord, last, view, experiment }) {
      write(about, cell || "Choose a cell: a written word, and a word that it looks at.");
      for (const node of [forbid, force]) node.disabled = !cell || !cross.length;
      swap.disabled = experiment.swap === null && (!sourceWord || last);
      write(swap, experiment.swap === null ? "Swap with next" : "Swap back");
      heat.show(experiment.temperature);
      heat.input.disabled = !cross.length;
      positions.show(experiment.positions);
      looks.show(toKey(view.name, view.head));
      off.input.disabled = view.head === null;
      off.show(experiment.heads.some(({ module, head }) => module === view.name && head === view.head));
    }
  };
}
var toKey = (name, head) => `${name}/${head ?? ""}`;
var fromKey = (key) => [key.split("/")[0], key.endsWith("/") ? null : Number(key.split("/")[1])];
var viewsOf = (modules) => modules.flatMap(({ name, heads }, layer) => [
  /** @type {[string, string]} */
  [toKey(name, null), `layer ${layer + 1}, mean of all heads`],
  ...Array.from(
    { length: heads > 1 ? heads : 0 },
    (_, h) => (
      /** @type {[string, string]} */
      [toKey(name, h), `layer ${layer + 1}, head ${h + 1}`]
    )
  )
]);

// src/attnbook/widgets/js/translate/picture.js
var PICTURE_STYLE = `
.picture { height: 194px; overflow: auto; }
@container (min-width: 620px) { .picture { height: 350px; } }
.picture:focus-visible { outline-offset: -2px; }
.picture svg { width: auto; height: auto; }
.picture text { font-size: 13px; }
.picture .row { fill: var(--query); }
.picture .column { fill: var(--key); }
.picture .changed { font-weight: 700; text-decoration: underline; }
.picture .unknown { text-decoration: underline dashed; }
.picture .row, .picture .column { cursor: pointer; }
.picture .field { fill: var(--fill); }
.picture .weight { fill: var(--weight); pointer-events: none; }
.picture .hit { fill: transparent; cursor: pointer; }
.picture .chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.picture .band { fill: var(--fill); }
.picture .mark { stroke: var(--ink); stroke-width: 2.5; fill: none; pointer-events: none; }
.picture .line { fill: none; stroke: var(--weight); }
.picture .line.faint { stroke-opacity: 0.25; }
`;
var STEP = 24;
var SPACE = 8;
var label = (text, most = 12) => text.length > most ? `${text.slice(0, most - 1)}…` : text;
function attentionPicture(choose) {
  const box = element("div", { class: "picture", tabindex: 0, role: "group", "aria-roledescription": "attention" });
  let scene;
  box.addEventListener("click", (event) => {
    const { row, column } = (
      /** @type {SVGElement} */
      event.target.dataset
    );
    if (row !== void 0 || column !== void 0)
      choose(row === void 0 ? scene.chosen.row : Number(row), column === void 0 ? null : Number(column));
  });
  box.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move || !scene.rows.length) return;
    event.preventDefault();
    const { row, column } = scene.chosen;
    const within = (place, count) => Math.min(Math.max(place, 0), count - 1);
    const next = column === null ? move[1] ? 0 : null : within(column + move[1], scene.columns.length);
    choose(within(row + move[0], scene.rows.length), next);
  });
  return {
    element: box,
    /** @param {Scene} now */
    draw(now) {
      scene = now;
      const drawing = now.kind === "cells" ? cells(now, box.clientWidth) : lines(now, box.clientWidth);
      set(box, { "aria-label": inWords2(now) });
      box.replaceChildren(drawing);
    }
  };
}
function inWords2({ columns, rows, weights }) {
  const looks = rows.map(({ piece }, i) => {
    const row = weights[i] ? Array.from(weights[i]) : [];
    const most = row.indexOf(Math.max(...row));
    return row.length ? `${piece} at ${columns[most]}, ${row[most].toFixed(2)}` : piece;
  });
  return `Where each word looked most: ${looks.join("; ")}. Arrow keys choose a word and what it looks at.`;
}
function cells({ columns, unknown, rows, weights, changed, mark, chosen }, width) {
  const [left, top] = [92, 66];
  const size = Math.min(46, Math.max(STEP, (width - left - 22) / Math.max(1, columns.length)));
  const [across, down] = [left + columns.length * size + 22, top + rows.length * STEP + 4];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  columns.forEach((word, j) => {
    const [x, y] = [left + (j + 0.5) * size, top - 6];
    const name = unknown[j] ? "column unknown" : "column";
    const text = label(word, 11);
    drawing.append(svg("text", { class: name, x, y, transform: `rotate(-50 ${x} ${y})`, "data-column": j, text }));
  });
  rows.forEach(({ piece }, i) => {
    const y = top + i * STEP;
    drawing.append(rowLabel(piece, changed[i], { x: left - SPACE, y: y + 16, row: i, anchor: "end" }));
    columns.forEach((_, j) => {
      const x = left + j * size;
      const at = { x: x + 1, y: y + 1, width: size - 2, height: STEP - 2, rx: 2 };
      const weight = weights[i]?.[j] ?? 0;
      drawing.append(
        svg("rect", { class: "field", ...at }),
        svg("rect", { class: "weight", ...at, "fill-opacity": Math.sqrt(weight).toFixed(3) }),
        svg("rect", { class: "hit", x, y, width: size, height: STEP, "data-row": i, "data-column": j }),
        ...marks(mark(i, j), x, y, size)
      );
    });
  });
  if (chosen.row < rows.length) {
    const wide = chosen.column === null ? { x: left, width: columns.length * size } : { x: left + chosen.column * size, width: size };
    drawing.append(svg("rect", { class: "chosen", ...wide, y: top + chosen.row * STEP, height: STEP, rx: 3 }));
  }
  return drawing;
}
function marks(mark, x, y, size) {
  const [middle, centre] = [x + size / 2, y + STEP / 2];
  if (mark === "forbidden")
    return [svg("path", { class: "mark", d: `M${middle - 5} ${centre - 5}l10 10m0 -10l-10 10` })];
  if (mark === "forced") return [svg("circle", { class: "mark", cx: middle, cy: centre, r: 6 })];
  return [];
}
var rowLabel = (piece, changed, { x, y, row, anchor }) => svg("text", {
  class: changed ? "row changed" : "row",
  x,
  y,
  "text-anchor": anchor,
  "data-row": row,
  text: label(piece)
});
function lines({ columns, unknown, rows, weights, changed, mark, chosen }, width) {
  const across = Math.min(width - 16, 420);
  const down = Math.max(columns.length, rows.length) * STEP + 8;
  const [from, to] = [across * 0.34, across * 0.66];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  const band = (x, i) => svg("rect", { class: "band", x, y: i * STEP + 2, width: across - to, height: STEP - 2, rx: 4 });
  if (chosen.row < rows.length) drawing.append(band(to, chosen.row));
  if (chosen.column !== null) drawing.append(band(0, chosen.column));
  rows.forEach((_, i) => {
    columns.forEach((_2, j) => {
      const weight = weights[i]?.[j] ?? 0;
      if (weight < 0.04) return;
      const [y0, y1, middle] = [(j + 0.5) * STEP + 1, (i + 0.5) * STEP + 1, (from + to) / 2];
      const d = `M${from + SPACE} ${y0}C${middle} ${y0} ${middle} ${y1} ${to - SPACE} ${y1}`;
      drawing.append(
        svg("path", {
          class: i === chosen.row ? "line" : "line faint",
          d,
          "stroke-width": (1 + 4 * weight).toFixed(1)
        })
      );
    });
  });
  columns.forEach((word, j) => {
    const name = `column${unknown[j] ? " unknown" : ""}`;
    drawing.append(
      svg("text", {
        class: name,
        x: from,
        y: j * STEP + 18,
        "text-anchor": "end",
        "data-column": j,
        text: label(word)
      })
    );
    drawing.append(...marks(mark(chosen.row, j), from + SPACE - 12, j * STEP + 1, STEP));
  });
  rows.forEach(({ piece }, i) => {
    drawing.append(rowLabel(piece, changed[i], { x: to, y: i * STEP + 18, row: i, anchor: "start" }));
  });
  return drawing;
}

// src/attnbook/widgets/js/translate/rows.js
var weightsOf = (rows, { name, head }) => rows.map(({ attention }) => {
  const heads = attention[name] ?? [];
  if (head !== null) return heads[head] ?? [];
  return Array.from(heads[0] ?? [], (_, j) => heads.reduce((sum, one) => sum + one[j], 0) / heads.length);
});
var leastSure = (rows) => rows.reduce((least, { p }, i) => p < rows[least].p ? i : least, 0);
var plain = (rows) => rows.map(({ attention, ...row }) => {
  const weights = Object.entries(attention).map(([name, heads]) => [name, heads.map((head) => [...head])]);
  return { ...row, attention: Object.fromEntries(weights) };
});

// src/attnbook/widgets/js/translate/runner.js
var ARRIVAL = 280;
var Runner = class {
  /**
   * @param {import("./translator.js").Translator} translator
   * @param {string[]} modules whose softmax a temperature changes
   * @param {import("../engine/text.js").Corpus} corpus whose words the sentence is cut into
   * @param {(news: "word" | "end") => void} tell
   */
  constructor(translator, modules, corpus, tell) {
    this.translator = translator;
    this.modules = modules;
    this.corpus = corpus;
    this.tell = tell;
    this.number = 0;
    this.tokens = [];
    this.clear();
  }
  clear() {
    this.rows = [];
    this.trained = [];
    this.source = [];
    this.before = null;
    this.now = null;
  }
  /** The sentence that is there already: word after word, or at once. @param {{rows: Row[], outcome: Outcome}} recorded @param {boolean} still */
  arrive({ rows, outcome }, still) {
    const own = ++this.number;
    this.source = outcome.sourcePieces;
    const show = (count) => {
      if (own !== this.number) return;
      this.rows = rows.slice(0, count);
      const ended = count === rows.length;
      if (ended) [this.before, this.trained] = [outcome, rows];
      else setTimeout(show, ARRIVAL, count + 1);
      this.tell(ended ? "end" : "word");
    };
    show(still ? rows.length : 1);
  }
  /** @param {Experiment} experiment @param {boolean} known its sentence and stage are those of the run before */
  async translate(experiment, known) {
    const own = ++this.number;
    this.tokens = tokenize(experiment.sentence, "english", this.corpus);
    this.now = null;
    if (!known || !this.tokens.length) this.before = null;
    if (!this.tokens.length) this.clear();
    else {
      await this.translator.open(experiment.stage);
      if (own === this.number) await this.both(experiment, own);
    }
    if (own === this.number) this.tell("end");
  }
  /** @param {Experiment} experiment @param {number} own */
  async both(experiment, own) {
    if (!this.before) {
      this.before = await this.write({ source: this.tokens, begin: [], changes: {}, judged: null }, own);
      if (own === this.number) this.trained = this.rows;
    } else [this.rows, this.source] = [this.trained, this.before.sourcePieces];
    if (own !== this.number || !this.before || !isChanged(experiment)) return;
    const changes = changesOf(experiment, this.modules);
    const source = swapped(this.tokens, experiment.swap);
    this.now = await this.write({ source, begin: experiment.begin, changes, judged: this.before.ids }, own);
  }
  /** @param {import("../engine/session.js").Request} request @param {number} own */
  async write(request, own) {
    const rows = [];
    this.source = request.source;
    const outcome = await this.translator.translate(request, (row) => {
      if (own !== this.number) return;
      rows.push(row);
      this.rows = rows;
      this.tell("word");
    });
    if (outcome && own === this.number) this.source = outcome.sourcePieces;
    return outcome;
  }
};

// src/attnbook/widgets/js/translate/sentence.js
var OFFERED = 5;
var FRAGMENT = /[\p{L}\p{N}'’-]+$/u;
var SENTENCE_STYLE = `
.sentence { position: relative; }
.sentence input { width: 100%; box-sizing: border-box; font: inherit; font-size: 16px; min-height: 38px; padding: 4px 10px;
  color: var(--ink); background: var(--fill); border: 1px solid var(--edge); border-radius: 6px; }
.sentence ul { position: absolute; z-index: 2; left: 0; top: 100%; margin: 2px 0 0; padding: 4px; list-style: none; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 6px; box-shadow: 0 4px 14px #0004; min-width: 9rem; }
.sentence li { padding: 4px 10px; border-radius: 4px; cursor: pointer; font-size: 15px; }
.sentence li[aria-selected=true] { background: var(--weight); color: var(--paper); }
.note { min-height: 1.45em; font-size: 13px; color: var(--muted); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.note.warns { color: var(--ink); font-weight: 600; }
`;
function offers(input, take) {
  const list = element("ul", { role: "listbox", id: "offers", "aria-label": "Words it knows", hidden: true });
  let offered = [];
  let active = -1;
  function show() {
    set(input, {
      "aria-expanded": String(offered.length > 0),
      "aria-activedescendant": active >= 0 ? `offer-${active}` : null
    });
    set(list, { hidden: !offered.length });
    const option = (word, i) => element("li", { role: "option", id: `offer-${i}`, "aria-selected": String(i === active), text: word });
    list.replaceChildren(...offered.map(option));
  }
  const fragment = () => FRAGMENT.exec(input.value.slice(0, input.selectionStart ?? 0))?.[0] ?? "";
  const choose = (word) => {
    const caret = input.selectionStart ?? input.value.length;
    take(word, caret - fragment().length, caret);
  };
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const place = [...list.children].indexOf(
      /** @type {Element} */
      event.target
    );
    if (place >= 0) choose(offered[place]);
  });
  return {
    element: list,
    /** @param {string[]} words */
    from(words) {
      const begun = fragment().toLowerCase().replaceAll("’", "'");
      offered = begun ? words.filter((word) => word.startsWith(begun) && word !== begun).slice(0, OFFERED) : [];
      active = -1;
      show();
    },
    close() {
      offered = [];
      show();
    },
    /** @param {KeyboardEvent} event */
    press(event) {
      if (event.key === "Escape" || event.key === "Enter" && active < 0) return this.close();
      if (event.key === "Enter") return choose(offered[active]);
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (!step || !offered.length) return;
      event.preventDefault();
      active = active < 0 && step < 0 ? offered.length - 1 : (active + step + offered.length) % offered.length;
      show();
    }
  };
}
function sentenceField({ typed, asked }) {
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-label": "English sentence to translate",
    "aria-autocomplete": "list",
    "aria-controls": "offers",
    "aria-expanded": "false",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    maxlength: 120,
    enterkeyhint: "go"
  });
  const note = element("div", { class: "note", role: "status" });
  let words = [];
  const list = offers(input, (word, from, to) => {
    input.setRangeText(`${word} `, from, to, "end");
    list.close();
    typed(input.value);
  });
  input.addEventListener("focus", asked);
  input.addEventListener("blur", () => list.close());
  input.addEventListener("input", () => {
    list.from(words);
    typed(input.value);
  });
  input.addEventListener("keydown", (event) => list.press(event));
  return {
    element: element("div", {}, element("div", { class: "sentence" }, input, list.element), note),
    input,
    /** @param {string} text */
    show(text) {
      if (input.value !== text) input.value = text;
    },
    /** @param {string[]} known */
    knows(known) {
      words = known;
    },
    /** @param {string} text @param {boolean} [warns] */
    say(text, warns = false) {
      write(note, text);
      set(note, { title: text });
      note.classList.toggle("warns", warns);
    }
  };
}

// src/attnbook/widgets/js/shared/program.js
async function startProgram(program) {
  try {
    const worker = await inWorker(program);
    return { port: worker, end: () => worker.terminate() };
  } catch {
    const { serve } = (await withAddress(`${program}
export default program;`, (url) => import(url))).default;
    const { port1, port2 } = new MessageChannel();
    serve(port2);
    return { port: port1, end: () => port1.close() };
  }
}
var inWorker = (program) => withAddress(`${program}
program.serve(self);
postMessage(null);`, async (url) => {
  const worker = new Worker(url);
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  });
  return worker;
});
function withAddress(text, use) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return use(url).finally(() => URL.revokeObjectURL(url));
}

// src/attnbook/widgets/js/engine/client.js
async function startClient(program) {
  const { port, end } = await startProgram(program);
  const open = /* @__PURE__ */ new Map();
  let last = 0;
  port.onmessage = ({ data: { number, row, result, error } }) => {
    const asked = open.get(number);
    if (row) asked?.written?.(row);
    else {
      open.delete(number);
      if (error) asked?.reject(new Error(error));
      else asked?.resolve(result);
    }
  };
  const ask = (message, written) => new Promise((resolve, reject) => {
    open.set(++last, { resolve, reject, written });
    port.postMessage({ number: last, ...message });
  });
  return {
    open: (file) => ask({ file }),
    translate: (request, written) => ask({ request }, written),
    close: end
  };
}

// src/attnbook/widgets/js/translate/translator.js
var Translator = class {
  /** @param {string} program of the worker @param {Source[]} sources one for each stage of training */
  constructor(program, sources) {
    this.program = program;
    this.sources = sources;
    this.client = null;
    this.stage = -1;
    this.about = null;
  }
  /** The model of a stage, read and ready. @param {number} stage @returns {Promise<About>} */
  open(stage) {
    if (this.stage === stage && this.about) return this.about;
    this.client ??= startClient(this.program);
    this.stage = stage;
    const source = this.sources[stage];
    const about = Promise.all([this.client, typeof source === "function" ? source() : source]).then(
      ([client, view]) => client.open(
        /** @type {ArrayBuffer} */
        view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)
      )
    );
    about.catch(() => {
      this.stage = -1;
    });
    this.about = about;
    return about;
  }
  /** @type {Client["translate"]} */
  async translate(request, written) {
    const client = await this.client;
    return client ? client.translate(request, written) : null;
  }
  async close() {
    (await this.client)?.close();
  }
};

// src/attnbook/widgets/js/translate_view.js
var STYLE2 = `
.translate { max-width: 56rem; }
.columns { display: grid; gap: 4px 18px; grid-template-columns: minmax(0, 1fr); }
@container (min-width: 620px) { .columns { grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); } }
.bar { display: flex; gap: 16px; align-items: end; margin: 2px 0 6px; }
.bar .field { flex: 1; max-width: 24rem; }
.translate .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.translate .controls { margin: 0; }
${SENTENCE_STYLE}${PICTURE_STYLE}${PANEL_STYLE}${COMPARE_STYLE}`;
var TranslateView = class {
  /** @param {RenderProps} place */
  constructor(place) {
    const { model, el } = place;
    this.model = model;
    this.address = new Address(el, model.get("name"));
    this.steps = /** @type {number[]} */
    model.get("steps");
    this.first = fresh(model.get("sentence"), this.steps.length - 1);
    const sent = fromText(this.address.read(), this.first, this.steps);
    this.experiment = sent ?? this.first;
    this.modules = /** @type {{name: string, heads: number}[]} */
    model.get("modules");
    this.cross = this.modules.map(({ name }) => name).filter((name) => name.endsWith("cross_attention"));
    this.view = { name: this.cross[this.cross.length - 1] ?? "", head: (
      /** @type {number | null} */
      null
    ) };
    this.chosen = { row: 0, column: (
      /** @type {number | null} */
      null
    ) };
    this.kind = /** @type {"cells" | "lines"} */
    "lines";
    this.translator = new Translator(worker_default, model.get("weights"));
    this.runner = new Runner(this.translator, this.cross, model.get("corpus"), (news) => this.hear(news));
    this.field = sentenceField({
      typed: (sentence) => this.set(fresh(sentence, this.experiment.stage)),
      asked: () => void this.open()
    });
    this.touched = false;
    this.picture = attentionPicture((row, column) => {
      this.touched = true;
      this.chosen = { row, column };
      this.draw();
    });
    this.alternatives = alternatives((id) => this.take(id));
    this.changes = changePanel({ modules: this.modules, config: model.get("config") }, this.changers());
    this.compare = compareLines();
    this.stages = slider(
      "Training step",
      { min: 0, max: this.steps.length - 1, says: (stage) => this.steps[stage].toLocaleString("en") },
      (stage) => this.set({ ...fresh(this.experiment.sentence, stage) })
    );
    const options = { name: "translate", title: model.get("title"), tip: model.get("tip"), style: STYLE2 };
    this.card = new Card(place, { ...options, names: ["sentence"] });
    this.lay();
    if (sent) {
      this.set(sent);
      this.address.show();
    } else {
      this.field.show(this.first.sentence);
      this.runner.arrive(model.get("recorded"), matchMedia("(prefers-reduced-motion: reduce)").matches);
    }
  }
  /** Puts the parts into the card. */
  lay() {
    const panel = tabs([
      { id: "words", name: "Words", content: this.alternatives.element },
      { id: "change", name: "Change", content: this.changes.element },
      {
        id: "keep",
        name: "Keep",
        content: element("div", {}, element("div", { class: "changes" }, ...this.saves()))
      }
    ]);
    this.card.figure.append(
      this.field.element,
      element("div", { class: "bar" }, ...this.bar()),
      element("div", { class: "columns" }, this.picture.element, element("div", {}, this.compare.element, panel))
    );
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.picture.element);
  }
  /** What is shown: the step of training, and the attention of which head, and how. */
  bar() {
    const kinds = choice(
      "Attention as",
      [
        ["lines", "lines"],
        ["cells", "cells"]
      ],
      (kind) => {
        this.kind = kind === "cells" ? "cells" : "lines";
        this.draw();
      }
    );
    const several = this.modules.some(({ heads }) => heads > 1);
    return [
      ...this.steps.length > 1 ? [this.stages.element] : [],
      ...several ? [this.changes.looks.element] : [],
      ...this.cross.length ? [kinds.element] : []
    ];
  }
  saves() {
    return saveButtons({
      drawing: () => this.picture.element.querySelector("svg"),
      background: () => getComputedStyle(this.card.root).backgroundColor,
      data: () => this.data(),
      link: this.address.onPage ? () => this.link() : null
    });
  }
  /** What the controls of the panel do. */
  changers() {
    return {
      /** @param {number | null} weight @param {boolean} all */
      cell: (weight, all) => this.changeCell(weight, all),
      undo: () => this.set(fresh(this.experiment.sentence, this.experiment.stage)),
      /** @param {string} name @param {number | null} head */
      view: (name, head) => {
        this.view = { name, head };
        this.draw();
      },
      /** @param {Partial<Experiment>} changes */
      change: (changes) => this.set({ ...this.experiment, ...changes }),
      /** @param {boolean} off */
      headOff: (off) => this.turnHead(off),
      swap: () => this.set({ ...this.experiment, swap: this.experiment.swap === null ? this.chosen.column : null })
    };
  }
  /** Another experiment. @param {Experiment} experiment */
  async set(experiment) {
    this.touched &&= experiment.sentence === this.experiment.sentence;
    const known = experiment.sentence === this.experiment.sentence && experiment.stage === this.experiment.stage;
    this.experiment = experiment;
    this.address.write(this.sendable());
    this.field.show(experiment.sentence);
    try {
      await this.runner.translate(experiment, known);
    } catch (error) {
      this.fail(error);
    }
  }
  /** The experiment for the address. */
  sendable() {
    return toText(this.experiment, this.first, this.steps);
  }
  async link() {
    this.field.say(await this.address.copy(this.sendable()));
  }
  /** Another address of the same page. @param {import("./shared/address.js").Values} values */
  arrive(values) {
    const sent = fromText(values, this.first, this.steps);
    if (sent) this.set(sent);
    this.address.show();
  }
  async open() {
    try {
      const { words } = await this.translator.open(this.experiment.stage);
      this.field.knows(words);
      this.note(words.length);
    } catch (error) {
      this.fail(error);
    }
  }
  /** @param {unknown} error */
  fail(error) {
    this.field.say(`The model cannot be loaded: ${error instanceof Error ? error.message : error}`, true);
  }
  /** From the chosen row on with another word. @param {number} id */
  take(id) {
    const begin = this.runner.rows.slice(0, this.chosen.row).map((row) => row.id);
    this.set({ ...this.experiment, begin: [...begin, id] });
  }
  /** @param {number | null} weight @param {boolean} all of the rows */
  changeCell(weight, all) {
    const { row, column } = this.chosen;
    if (column === null) return;
    const { name, head } = this.view;
    const modules = head === null ? this.cross : [name];
    const cells2 = modules.map((module) => ({ module, head, row: all ? null : row, column, weight }));
    const others = this.experiment.cells.filter(
      (cell) => !(cell.column === column && (all || cell.row === row) && modules.includes(cell.module))
    );
    this.set({ ...this.experiment, cells: [...others, ...cells2] });
  }
  /** @param {boolean} off */
  turnHead(off) {
    const { name, head } = this.view;
    if (head === null) return;
    const others = this.experiment.heads.filter((other) => other.module !== name || other.head !== head);
    this.set({ ...this.experiment, heads: off ? [...others, { module: name, head }] : others });
  }
  /** @param {"word" | "end"} news */
  hear(news) {
    const { rows, before, now } = this.runner;
    if (news === "end") this.chosen.row = Math.max(0, Math.min(this.chosen.row, rows.length - 1));
    if (!this.touched) this.chosen.row = news === "word" ? rows.length - 1 : leastSure(rows);
    if (news === "end") {
      this.note();
      const [was, is] = [before && this.text(before), now && this.text(now)];
      this.card.say(is ? `It wrote “${was}”. Changed, it writes “${is}”.` : was ? `It writes “${was}”.` : "");
    }
    this.draw();
  }
  /** What the field says about its words. @param {number} [known] */
  note(known) {
    const { tokens, before } = this.runner;
    const strange = before ? tokens.filter((_, i) => before.unknown[i]).map((word) => `“${word}”`) : [];
    if (strange.length)
      this.field.say(`It does not know ${strange.join(", ")}, and reads <unk>, “unknown”, there.`, true);
    else if (known === 0) this.field.say("It reads any word, in pieces, and translates as you write.");
    else if (known)
      this.field.say(`It knows ${known.toLocaleString("en")} words; those that fit are offered as you type.`);
    else if (!this.translator.about) this.field.say("Type a sentence: it translates as you write.");
  }
  /** @param {Outcome} outcome */
  text(outcome) {
    const [target, capitals, corpus] = ["target", "capitals", "corpus"].map((name) => this.model.get(name));
    return join(outcome.target, target, capitals, corpus);
  }
  data() {
    const step = this.steps.length > 1 ? { step: this.steps[this.experiment.stage] } : {};
    return { experiment: this.experiment, ...step, source: this.runner.source, written: plain(this.runner.rows) };
  }
  draw() {
    const { experiment, chosen, runner, view } = this;
    const { rows, source, before, now } = runner;
    const weights = weightsOf(rows, view);
    const pieces = rows.map(({ piece }) => piece);
    const old = isChanged(experiment) && before ? runner.trained.map(({ piece }) => piece) : pieces;
    const cells2 = experiment.cells.filter(
      ({ module, head }) => module === view.name && (head === null || head === view.head)
    );
    this.picture.draw({
      columns: source,
      unknown: source.map((piece) => piece === "<unk>"),
      rows,
      weights,
      changed: changedWords(old, pieces),
      mark(row2, column) {
        const cell = cells2.filter((one) => one.column === column && (one.row ?? row2) === row2).pop();
        return cell ? cell.weight === null ? "forbidden" : "forced" : null;
      },
      chosen,
      kind: this.kind
    });
    const row = rows[chosen.row];
    this.alternatives.show(row);
    const word = chosen.column === null ? null : source[chosen.column] ?? null;
    const weight = inWords(weights[chosen.row]?.[chosen.column ?? 0] ?? 0);
    const about = word && row ? `“${row.piece}” looks at “${word}”: ${weight}` : "";
    this.changes.show({ about, sourceWord: word, last: chosen.column === source.length - 1, view, experiment });
    this.stages.show(experiment.stage);
    const written = (one) => one && { text: this.text(one), words: one.target, p: Math.exp(one.logP) };
    this.compare.show(written(before), written(now), now?.judged == null ? null : Math.exp(now.judged));
  }
};
function render(place) {
  const view = new TranslateView(place);
  const stop = view.card.start(
    () => view.draw(),
    () => void view.set(view.first)
  );
  const leave = view.address.follow((values) => view.arrive(values));
  return () => {
    leave();
    view.resized?.disconnect();
    void view.translator.close();
    stop();
  };
}
var translate_view_default = { render };
export {
  translate_view_default as default
};
